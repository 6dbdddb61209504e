/** Updates from channels that could not be processed. */
import { readQuery } from './read.ts';
import { get, post } from './call.ts';
import { instancesKey } from './instances.ts';
import { listQuery } from './list.ts';

/** Up to which the API counts them. */
export const MAX_COUNTED = 1_000;
const UNCOUNTED_MS = 30_000;

/** Their number is polled with the instance; a list of another number is read again, and a long one regularly. */
export const unprocessedUpdatesQuery = (workspaceId: string, instanceId: string, count: number) => ({
  ...listQuery(
    [...instancesKey(workspaceId), 'unprocessed-updates', instanceId, count],
    workspaceId,
    get('/instances/{id}/unprocessed-updates', { path: { id: instanceId }, query: { limit: 25 } }),
  ),
  refetchInterval: count < MAX_COUNTED ? (false as const) : UNCOUNTED_MS,
});

export const unprocessedUpdateQuery = (workspaceId: string, id: string) =>
  readQuery(
    ['ws', workspaceId, 'unprocessed-update', id],
    workspaceId,
    get('/unprocessed-updates/{id}', { path: { id } }),
  );

export const replayUpdate = (id: string) => post('/unprocessed-updates/{id}/replay', { path: { id } });

export const replayUpdates = (id: string) =>
  post('/instances/{id}/unprocessed-updates/replay', { path: { id } });
