/** Deliveries of webhooks. */
import { readQuery } from './read.ts';
import { get, post, type FilterOf } from './call.ts';
import { listQuery, pollFirstPage } from './list.ts';
import type { DeliveryDetail } from './types.ts';

type DeliveryFilter = FilterOf<'/webhooks/{id}/deliveries'>;

/** Polling intervals of a list, and of a delivery that is being sent. */
const LIST_MS = 2000;
const SOON_MS = 1000;

export const deliveriesKey = (workspaceId: string, webhookId: string) =>
  ['ws', workspaceId, 'deliveries', webhookId] as const;

/** @param live whether to poll */
export const deliveriesQuery = (
  workspaceId: string,
  webhookId: string,
  filter: DeliveryFilter,
  live: boolean,
) => ({
  ...listQuery(
    [...deliveriesKey(workspaceId, webhookId), filter],
    workspaceId,
    get('/webhooks/{id}/deliveries', { path: { id: webhookId }, query: filter }),
  ),
  refetchInterval: pollFirstPage(LIST_MS, live),
});

const isOver = ({ status }: DeliveryDetail): boolean => status !== 'pending' && status !== 'sending';

/** Gets a delivery with its newest attempts. Polls until it is completed. */
export const deliveryQuery = (workspaceId: string, id: string) =>
  readQuery(['ws', workspaceId, 'delivery', id], workspaceId, get('/deliveries/{id}', { path: { id } }), {
    refetchInterval: ({ state: { data } }) => (data && isOver(data) ? LIST_MS * 5 : SOON_MS),
  });

export const retryDelivery = (id: string) => post('/deliveries/{id}/retry', { path: { id } });
