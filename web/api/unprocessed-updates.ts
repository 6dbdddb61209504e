/** What channels sent and could not be processed. */
import { queryOptions } from '@tanstack/react-query';
import { apiFor, unwrap } from './client.ts';
import { instancesKey } from './instances.ts';
import { listQuery } from './list.ts';

/** Up to which the API counts them. */
export const MAX_COUNTED = 1_000;
const UNCOUNTED_MS = 30_000;

/** Their number is polled with the instance; a list of another number is read again, and a long one regularly. */
export const unprocessedUpdatesQuery = (workspaceId: string, instanceId: string, count: number) => ({
  ...listQuery([...instancesKey(workspaceId), 'unprocessed-updates', instanceId, count], (page, signal) =>
    unwrap(
      apiFor(workspaceId).GET('/api/v1/instances/{id}/unprocessed-updates', {
        params: { path: { id: instanceId }, query: { ...page, limit: 25 } },
        signal,
      }),
    ),
  ),
  refetchInterval: count < MAX_COUNTED ? (false as const) : UNCOUNTED_MS,
});

export const unprocessedUpdateQuery = (workspaceId: string, id: string) =>
  queryOptions({
    queryKey: ['ws', workspaceId, 'unprocessed-update', id],
    queryFn: ({ signal }) =>
      unwrap(
        apiFor(workspaceId).GET('/api/v1/unprocessed-updates/{id}', { params: { path: { id } }, signal }),
      ),
  });

export const replayUpdate = (workspaceId: string, id: string) =>
  unwrap(apiFor(workspaceId).POST('/api/v1/unprocessed-updates/{id}/replay', { params: { path: { id } } }));

export const replayUpdates = (workspaceId: string, id: string) =>
  unwrap(
    apiFor(workspaceId).POST('/api/v1/instances/{id}/unprocessed-updates/replay', {
      params: { path: { id } },
    }),
  );
