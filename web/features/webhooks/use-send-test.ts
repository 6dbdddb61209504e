import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query';
import { send } from '../../api/call.ts';
import { deliveriesKey, deliveriesQuery } from '../../api/deliveries.ts';
import type { Delivery, Webhook } from '../../api/types.ts';
import { testWebhook, webhooksKey } from '../../api/webhooks.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { t } from '../../copy/text.ts';
import { notifyDone, notifyFailed } from '../../design/notify.ts';
import { responseSummary } from '../deliveries/delivery-text.ts';

/** How often to look for the result of the attempt. An endpoint that takes longer is left to the list of deliveries. */
const LOOKS = 10;
const LOOK_MS = 500;

/** Returns the delivery of a `ping` event once an attempt has ended, undefined if none does in time. */
async function findAttempted(
  client: QueryClient,
  workspaceId: string,
  webhookId: string,
  eventId: string,
): Promise<Delivery | undefined> {
  const pings = deliveriesQuery(workspaceId, webhookId, { event_type: 'ping' }, false);
  for (let look = 0; look < LOOKS; look++) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    const { pages } = await client.fetchInfiniteQuery({ ...pings, staleTime: 0 });
    const found = pages[0]?.data.find(({ event_id: id }) => id === eventId);
    if (found && isAttempted(found)) return found;
  }
  return undefined;
}

const isAttempted = ({ status, last_status_code: code, last_error: error }: Delivery): boolean =>
  status !== 'sending' && (status !== 'pending' || code !== null || error !== null);

/** Sends a `ping` event to a webhook. */
export function useSendTest() {
  const { workspace } = useWorkspace();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async ({ id }: Webhook) => {
      const { event_id: eventId } = await send(workspace.id, testWebhook(id));
      return findAttempted(queryClient, workspace.id, id, eventId);
    },
    onSuccess: (delivery) => {
      if (delivery === undefined) notifyDone(t('Test event sent'));
      else if (delivery.status === 'succeeded') notifyDone(t('Test event delivered'));
      else notifyFailed(new Error(t('Test event failed: {reason}', { reason: responseSummary(delivery) })));
    },
    onError: notifyFailed,
    onSettled: (_delivery, _error, { id }) => {
      void queryClient.invalidateQueries({ queryKey: deliveriesKey(workspace.id, id) });
      void queryClient.invalidateQueries({ queryKey: webhooksKey(workspace.id) });
    },
  });
}
