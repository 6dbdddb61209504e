/** Whether the server takes anything new, looked at now and then, and whenever a call was refused for it. */
import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { api, unwrap } from './client.ts';
import { ApiProblem } from './problem.ts';

const EVERY_MS = 30_000;

export const serverStatusQuery = queryOptions({
  queryKey: ['server-status'],
  queryFn: ({ signal }) => unwrap(api.GET('/api/v1/server-status', { signal })),
  staleTime: EVERY_MS,
  refetchInterval: EVERY_MS,
  // A server that can't be asked is told of by everything else.
  retry: false,
});

/** To be told of every error: what is shown of the server is asked for anew. */
export function noteStorageFull(queryClient: QueryClient, error: unknown): void {
  if (error instanceof ApiProblem && error.code === 'storage_full')
    void queryClient.invalidateQueries({ queryKey: serverStatusQuery.queryKey });
}
