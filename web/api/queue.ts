/** What waits to be sent by an instance. */
import { queryOptions } from '@tanstack/react-query';
import { apiFor, unwrap } from './client.ts';
import { instancesKey } from './instances.ts';
import { listQuery } from './list.ts';
import type { Message } from './types.ts';

const POLL_MS = 2000;

/** @param live whether to poll. Lists with further pages aren't polled, since each page would be read again. */
export const queueQuery = (workspaceId: string, instanceId: string, live: boolean) => ({
  ...listQuery([...instancesKey(workspaceId), 'queue', instanceId], (page, signal) =>
    unwrap(
      apiFor(workspaceId).GET('/api/v1/instances/{id}/queue', {
        params: { path: { id: instanceId }, query: { ...page, limit: 25 } },
        signal,
      }),
    ),
  ),
  refetchInterval: ({ state }: { state: { data?: { pages: unknown[] } | undefined } }) =>
    live && (state.data?.pages.length ?? 0) <= 1 ? POLL_MS : (false as const),
});

/** A message of the queue, which seldom changes while it waits. */
export const queuedMessageQuery = (workspaceId: string, id: string) =>
  queryOptions({
    queryKey: ['ws', workspaceId, 'queued-message', id],
    queryFn: ({ signal }): Promise<Message> =>
      unwrap(apiFor(workspaceId).GET('/api/v1/messages/{id}', { params: { path: { id } }, signal })),
    staleTime: 60_000,
  });

export const clearQueue = (workspaceId: string, id: string) =>
  unwrap(apiFor(workspaceId).POST('/api/v1/instances/{id}/clear-queue', { params: { path: { id } } }));
