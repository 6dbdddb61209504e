/** The send queue of an instance. */
import { readQuery } from './read.ts';
import { get, post } from './call.ts';
import { instancesKey } from './instances.ts';
import { listQuery } from './list.ts';

const POLL_MS = 2000;

/** @param live whether to poll. Lists with further pages aren't polled, since each page would be read again. */
export const queueQuery = (workspaceId: string, instanceId: string, live: boolean) => ({
  ...listQuery(
    [...instancesKey(workspaceId), 'queue', instanceId],
    workspaceId,
    get('/instances/{id}/queue', { path: { id: instanceId }, query: { limit: 25 } }),
  ),
  refetchInterval: ({ state }: { state: { data?: { pages: unknown[] } | undefined } }) =>
    live && (state.data?.pages.length ?? 0) <= 1 ? POLL_MS : (false as const),
});

/** A message of the queue, which seldom changes while it waits. */
export const queuedMessageQuery = (workspaceId: string, id: string) =>
  readQuery(['ws', workspaceId, 'queued-message', id], workspaceId, get('/messages/{id}', { path: { id } }), {
    staleTime: 60_000,
  });

export const clearQueue = (id: string) => post('/instances/{id}/clear-queue', { path: { id } });
