import { useMutation, useQueryClient } from '@tanstack/react-query';
import { deliveriesKey } from '../../api/deliveries.ts';
import type { Webhook } from '../../api/types.ts';
import { testWebhook } from '../../api/webhooks.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { t } from '../../copy/text.ts';
import { notifyDone, notifyFailed } from '../../design/notify.ts';

/** Sends a `ping` event to a webhook. */
export function useSendTest() {
  const { workspace } = useWorkspace();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: ({ id }: Webhook) => testWebhook(workspace.id, id),
    onSuccess: (_delivery, { id }) => {
      notifyDone(t('Test event sent'));
      void queryClient.invalidateQueries({ queryKey: deliveriesKey(workspace.id, id) });
    },
    onError: notifyFailed,
  });
}
