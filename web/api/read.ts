import { queryOptions, type UndefinedInitialDataOptions } from '@tanstack/react-query';
import { type ApiCall, send } from './call.ts';

/**
 * Returns the query that reads one call.
 * @param queryKey unique for workspace, noun and parameters
 * @param workspaceId null for calls outside any workspace
 */
export const readQuery = <R, const K extends readonly unknown[]>(
  queryKey: K,
  workspaceId: string | null,
  call: ApiCall<R>,
  options: Omit<UndefinedInitialDataOptions<NoInfer<R>, Error, NoInfer<R>, K>, 'queryKey' | 'queryFn'> = {},
) =>
  queryOptions<R, Error, R, K>({
    ...options,
    queryKey,
    queryFn: ({ signal }) => send(workspaceId, call, { signal }),
  });
