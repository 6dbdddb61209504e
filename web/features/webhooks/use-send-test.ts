import { useMutation, useQueryClient } from '@tanstack/react-query';
import { deliveriesKey } from '../../api/deliveries.ts';
import type { Webhook } from '../../api/types.ts';
import { testWebhook, webhooksKey } from '../../api/webhooks.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { t } from '../../copy/text.ts';
import { notifyDone, notifyFailed } from '../../design/notify.ts';

/** By then, most attempts have ended. */
const ATTEMPT_MS = 1000;

/** Sends a `ping` event to a webhook. */
export function useSendTest() {
  const { workspace } = useWorkspace();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: ({ id }: Webhook) => testWebhook(workspace.id, id),
    onSuccess: (_delivery, { id }) => {
      notifyDone(t('Test event sent'));
      const refresh = () => {
        void queryClient.invalidateQueries({ queryKey: deliveriesKey(workspace.id, id) });
        void queryClient.invalidateQueries({ queryKey: webhooksKey(workspace.id) });
      };
      refresh();
      setTimeout(refresh, ATTEMPT_MS);
    },
    onError: notifyFailed,
  });
}
