/** Single model calls. */
import { queryOptions } from '@tanstack/react-query';
import { apiFor, unwrap } from './client.ts';
import { listQuery } from './list.ts';

/** How often the newest calls are read again while they are looked at. */
const REFETCH_MS = 15_000;

export const modelCallsQuery = (workspaceId: string) => ({
  ...listQuery(['ws', workspaceId, 'model-calls'], (page, signal) =>
    unwrap(apiFor(workspaceId).GET('/api/v1/model-calls', { params: { query: page }, signal })),
  ),
  refetchInterval: REFETCH_MS,
});

/** One call, with its prompt and response where they are stored. */
export const modelCallQuery = (workspaceId: string, id: string) =>
  queryOptions({
    queryKey: ['ws', workspaceId, 'model-call', id],
    queryFn: ({ signal }) =>
      unwrap(apiFor(workspaceId).GET('/api/v1/model-calls/{id}', { params: { path: { id } }, signal })),
  });
