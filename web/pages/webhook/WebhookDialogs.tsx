/** The dialogs of a webhook's page, each loaded when it is first opened. */
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { lazy } from 'react';
import type { Job, Webhook } from '../../api/types.ts';
import { deleteWebhook, webhookHealthQuery, webhookQuery, webhooksKey } from '../../api/webhooks.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';
import { ConfirmDialog, OnceOpened } from '../../ui/lazy-dialogs.tsx';
import { notifyDone } from '../../ui/notify.ts';
import type { WebhookAction } from './WebhookHeader.tsx';

const WebhookDialog = lazy(async () => ({
  default: (await import('../webhooks/WebhookDialog.tsx')).WebhookDialog,
}));
const ReplayDialog = lazy(async () => ({ default: (await import('./ReplayDialog.tsx')).ReplayDialog }));
const RotateSecretDialog = lazy(async () => ({
  default: (await import('./RotateSecretDialog.tsx')).RotateSecretDialog,
}));

interface WebhookDialogsProps {
  webhook: Webhook;
  /** The dialog that is open. */
  action: WebhookAction | null;
  /** Where what the receiver missed begins, if that is known. */
  missedSince: string | null;
  onClose: () => void;
  onReplay: (job: Job) => void;
  onSecret: (secret: string | null) => void;
  /** Once the page is left. */
  onDeleted: () => void;
}

export function WebhookDialogs({
  webhook,
  action,
  missedSince,
  onClose,
  onReplay,
  onSecret,
  onDeleted,
}: WebhookDialogsProps) {
  const { workspace } = useWorkspace();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const changed = (message?: string) => {
    onClose();
    void queryClient.invalidateQueries({ queryKey: webhooksKey(workspace.id) });
    if (message) notifyDone(message);
  };
  return (
    <>
      <OnceOpened opened={action === 'edit'}>
        <WebhookDialog
          opened={action === 'edit'}
          webhook={webhook}
          onClose={onClose}
          onDone={() => changed('Webhook changed')}
        />
      </OnceOpened>
      <OnceOpened opened={action === 'replay'}>
        <ReplayDialog
          webhookId={webhook.id}
          opened={action === 'replay'}
          since={missedSince}
          onClose={onClose}
          onDone={(job) => {
            onReplay(job);
            changed();
          }}
        />
      </OnceOpened>
      <OnceOpened opened={action === 'rotate'}>
        <RotateSecretDialog
          webhook={webhook}
          opened={action === 'rotate'}
          onClose={onClose}
          onDone={({ secret }) => {
            changed();
            onSecret(secret);
          }}
        />
      </OnceOpened>
      <OnceOpened opened={action === 'delete'}>
        <ConfirmDialog
          opened={action === 'delete'}
          title="Delete the webhook?"
          confirm="Delete webhook"
          call={{ method: 'DELETE', path: `/webhooks/${webhook.id}` }}
          action={() => deleteWebhook(workspace.id, webhook.id)}
          onDone={async () => {
            notifyDone('Webhook deleted');
            await navigate({ to: '/w/$workspace/webhooks', params: { workspace: workspace.slug } });
            // Once nothing shows it any more, so that nothing asks for it again.
            onDeleted();
            queryClient.removeQueries({ queryKey: webhookQuery(workspace.id, webhook.id).queryKey });
            queryClient.removeQueries({ queryKey: webhookHealthQuery(workspace.id, webhook.id).queryKey });
            await queryClient.invalidateQueries({ queryKey: webhooksKey(workspace.id) });
          }}
          onClose={onClose}
        >
          What waits for it is canceled, and what is being sent at this moment may still arrive. This can't be
          undone; to pause it, disable it instead.
        </ConfirmDialog>
      </OnceOpened>
    </>
  );
}
