/** The dialogs of the webhook page, each loaded when first opened. */
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { lazily } from '../../patterns/lazily.ts';
import { t } from '../../copy/text.ts';
import type { Job, Webhook } from '../../api/types.ts';
import { deleteWebhook, webhookHealthQuery, webhookQuery, webhooksKey } from '../../api/webhooks.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { ConfirmAction, OnceOpened } from '../../patterns/lazy-dialogs.tsx';
import { notifyDone } from '../../design/notify.ts';
import type { WebhookAction } from './webhook-actions.ts';
import { webhookName } from './webhook-text.ts';

const WebhookDialog = lazily(() => import('./WebhookDialog.tsx'), 'WebhookDialog');
const ReplayDialog = lazily(() => import('./ReplayDialog.tsx'), 'ReplayDialog');
const RotateSecretDialog = lazily(() => import('./RotateSecretDialog.tsx'), 'RotateSecretDialog');

interface WebhookDialogsProps {
  webhook: Webhook;
  /** The dialog that is open. */
  action: WebhookAction | null;
  /** RFC 3339 timestamp from which events were missed, if known. */
  missedSince: string | null;
  onClose: () => void;
  onReplay: (job: Job) => void;
  onSecret: (secret: string | null) => void;
  /** Called after navigating away from the page. */
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
          onDone={() => changed(t('Webhook updated'))}
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
        <ConfirmAction
          opened={action === 'delete'}
          title={t('Delete webhook “{name}”?', { name: webhookName(webhook) })}
          confirm={t('Delete webhook')}
          call={{ method: 'DELETE', path: `/webhooks/${webhook.id}` }}
          action={() => deleteWebhook(workspace.id, webhook.id)}
          onDone={async () => {
            notifyDone(t('Webhook deleted'));
            await navigate({ to: '/w/$workspace/webhooks', params: { workspace: workspace.slug } });
            // Only after the page is left, so that no mounted query fetches the deleted webhook again.
            onDeleted();
            queryClient.removeQueries({ queryKey: webhookQuery(workspace.id, webhook.id).queryKey });
            queryClient.removeQueries({ queryKey: webhookHealthQuery(workspace.id, webhook.id).queryKey });
            await queryClient.invalidateQueries({ queryKey: webhooksKey(workspace.id) });
          }}
          onClose={onClose}
        >
          {t(
            "Queued deliveries are canceled. This can't be undone. To stop deliveries temporarily, disable the webhook instead.",
          )}
        </ConfirmAction>
      </OnceOpened>
    </>
  );
}
