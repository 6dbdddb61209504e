import { useQueryClient } from '@tanstack/react-query';
import type { Webhook } from '../../api/types.ts';
import { updateWebhook, webhooksKey } from '../../api/webhooks.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { t } from '../../copy/text.ts';
import { useEnabledSwitch } from '../../patterns/actions/use-enabled-switch.ts';
import { webhookName } from './webhook-text.ts';

/**
 * Enables or disables a webhook. Disabling cancels its queued deliveries.
 * @param onEnabled called with the webhook as it was before it was enabled
 */
export function useWebhookSwitch(onEnabled?: (before: Webhook) => void) {
  const { workspace } = useWorkspace();
  const client = useQueryClient();
  return useEnabledSwitch<Webhook>({
    update: updateWebhook,
    refresh: () => client.invalidateQueries({ queryKey: webhooksKey(workspace.id) }),
    enabled: t('Webhook enabled'),
    disabled: t('Webhook disabled'),
    title: (webhook) => t('Disable webhook “{name}”?', { name: webhookName(webhook) }),
    consequence: t(
      "Queued deliveries are canceled, and events aren't sent while this webhook is disabled. After you enable it again, you can replay missed events.",
    ),
    onEnabled,
  });
}
