import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import {
  IconHistory,
  IconKey,
  IconPencil,
  IconPlayerPlay,
  IconPlayerStop,
  IconSend,
  IconTrash,
} from '@tabler/icons-react';
import type { AnsweredWebhook, Job, Webhook } from '../../api/types.ts';
import { deleteWebhook, webhookHealthQuery, webhookQuery, webhooksKey } from '../../api/webhooks.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { t } from '../../copy/text.ts';
import type { ActionDefinition } from '../../patterns/actions/action.ts';
import type { Outcome } from '../../patterns/actions/use-actions.tsx';
import { lazyDialog } from '../../patterns/lazy-dialogs.tsx';
import { useSendTest } from './use-send-test.ts';
import { replayMemory } from './replay-memory.ts';
import { webhookName } from './webhook-text.ts';

export const WebhookDialog = lazyDialog(() => import('./WebhookDialog.tsx'), 'WebhookDialog');
export const ReplayDialog = lazyDialog(() => import('./ReplayDialog.tsx'), 'ReplayDialog');
const RotateSecretDialog = lazyDialog(() => import('./RotateSecretDialog.tsx'), 'RotateSecretDialog');

const scope = 'webhooks:write';
const applies = ({ enabled }: Webhook): boolean => enabled;

const webhookActions = (
  sendTest: (webhook: Webhook) => void,
  switchTo: (webhook: Webhook, enabled: boolean) => void,
): ActionDefinition<Webhook>[] => [
  { id: 'test', label: () => t('Send test'), icon: IconSend, scope, applies, primary: true, run: sendTest },
  {
    id: 'replay',
    label: () => t('Replay'),
    icon: IconHistory,
    scope,
    applies,
    primary: true,
    dialog: ReplayDialog,
  },
  {
    id: 'edit',
    label: () => t('Edit'),
    icon: IconPencil,
    scope,
    primary: true,
    dialog: WebhookDialog,
    done: () => t('Webhook updated'),
  },
  {
    id: 'rotate',
    label: () => t('Rotate secret'),
    icon: IconKey,
    scope,
    dialog: RotateSecretDialog,
  },
  {
    id: 'disable',
    label: () => t('Disable'),
    icon: IconPlayerStop,
    scope,
    applies,
    run: (webhook) => switchTo(webhook, false),
  },
  {
    id: 'enable',
    label: () => t('Enable'),
    icon: IconPlayerPlay,
    scope,
    applies: ({ enabled }) => !enabled,
    run: (webhook) => switchTo(webhook, true),
  },
  {
    id: 'delete',
    label: () => t('Delete'),
    icon: IconTrash,
    danger: true,
    scope,
    confirm: (webhook) => ({
      title: t('Delete webhook “{name}”?', { name: webhookName(webhook) }),
      text: t(
        "Queued deliveries are canceled. This can't be undone. To stop deliveries temporarily, disable the webhook instead.",
      ),
      button: t('Delete webhook'),
      call: deleteWebhook(webhook.id),
    }),
    done: () => t('Webhook deleted'),
  },
];

interface Handlers {
  switchTo: (webhook: Webhook, enabled: boolean) => void;
  /** Shows the progress of a replay. */
  onReplay: (webhook: Webhook, job: Job) => void;
  onSecret: (webhook: AnsweredWebhook) => void;
}

/** Returns the actions of webhooks and their follow-up. After a deletion, the list is shown. */
export function useWebhookActions({ switchTo, onReplay, onSecret }: Handlers) {
  const { workspace } = useWorkspace();
  const navigate = useNavigate();
  const client = useQueryClient();
  const { mutate: sendTest } = useSendTest();
  return {
    definitions: webhookActions(sendTest, switchTo),
    onDone: async (webhook: Webhook, { action, isGone, answer }: Outcome) => {
      const { id } = webhook;
      if (action === 'replay') {
        replayMemory.set(id, (answer as Job).id);
        onReplay(webhook, answer as Job);
      }
      if (action === 'rotate') onSecret(answer as AnsweredWebhook);
      if (isGone) {
        replayMemory.forget(id);
        await navigate({ to: '/w/$workspace/webhooks', params: { workspace: workspace.slug } });
        // Only after the page is left, so that no mounted query fetches the deleted webhook again.
        client.removeQueries({ queryKey: webhookQuery(workspace.id, id).queryKey });
        client.removeQueries({ queryKey: webhookHealthQuery(workspace.id, id).queryKey });
      }
      await client.invalidateQueries({ queryKey: webhooksKey(workspace.id) });
    },
  };
}
