/** Deliveries of webhooks. */
import { queryOptions } from '@tanstack/react-query';
import { apiFor, unwrap } from './client.ts';
import { listQuery } from './list.ts';
import type { Delivery, DeliveryDetail } from './types.ts';

export interface DeliveryFilter {
  status?: Delivery['status'];
  event_type?: string;
  /** RFC 3339. */
  created_after?: string;
}

/** Polling intervals of a list, and of a delivery that is being sent. */
const LIST_MS = 2000;
const SOON_MS = 1000;

export const deliveriesKey = (workspaceId: string, webhookId: string) =>
  ['ws', workspaceId, 'deliveries', webhookId] as const;

const query = (workspaceId: string, webhookId: string, filter: DeliveryFilter) =>
  listQuery([...deliveriesKey(workspaceId, webhookId), filter], (page, signal) =>
    unwrap(
      apiFor(workspaceId).GET('/api/v1/webhooks/{id}/deliveries', {
        params: { path: { id: webhookId }, query: { ...page, ...filter } },
        signal,
      }),
    ),
  );

/** @param live whether new ones show by themselves; not once further pages are loaded, which would all be read again */
export const deliveriesQuery = (
  workspaceId: string,
  webhookId: string,
  filter: DeliveryFilter,
  live: boolean,
) => ({
  ...query(workspaceId, webhookId, filter),
  refetchInterval: ({ state }: { state: { data?: { pages: unknown[] } | undefined } }) =>
    live && (state.data?.pages.length ?? 0) <= 1 ? LIST_MS : (false as const),
});

const isOver = ({ status }: DeliveryDetail): boolean => status !== 'pending' && status !== 'sending';

/** One delivery with its newest attempts; asked for again until it is over. */
export const deliveryQuery = (workspaceId: string, id: string) =>
  queryOptions({
    queryKey: ['ws', workspaceId, 'delivery', id],
    queryFn: ({ signal }) =>
      unwrap(apiFor(workspaceId).GET('/api/v1/deliveries/{id}', { params: { path: { id } }, signal })),
    refetchInterval: ({ state: { data } }) => (data && isOver(data) ? LIST_MS * 5 : SOON_MS),
  });

export const retryDelivery = (workspaceId: string, id: string) =>
  unwrap(apiFor(workspaceId).POST('/api/v1/deliveries/{id}/retry', { params: { path: { id } } }));
