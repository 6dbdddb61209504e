/** The send queue of an instance. */
import { readQuery } from './read.ts';
import { get, post } from './call.ts';
import { instancesKey } from './instances.ts';
import { listQuery, pollFirstPage } from './list.ts';

const POLL_MS = 2000;

/** @param live whether to poll */
export const queueQuery = (workspaceId: string, instanceId: string, live: boolean) => ({
  ...listQuery(
    [...instancesKey(workspaceId), 'queue', instanceId],
    workspaceId,
    get('/instances/{id}/queue', { path: { id: instanceId }, query: { limit: 25 } }),
  ),
  refetchInterval: pollFirstPage(POLL_MS, live),
});

/** A message of the queue, which seldom changes while it waits. */
export const queuedMessageQuery = (workspaceId: string, id: string) =>
  readQuery(['ws', workspaceId, 'queued-message', id], workspaceId, get('/messages/{id}', { path: { id } }), {
    staleTime: 60_000,
  });

export const clearQueue = (id: string) => post('/instances/{id}/clear-queue', { path: { id } });
