/** The server status: polled, and read again when a call fails because storage is full. */
import { type QueryClient } from '@tanstack/react-query';
import { readQuery } from './read.ts';
import { get } from './call.ts';
import { ApiProblem } from './problem.ts';

const EVERY_MS = 30_000;

export const serverStatusQuery = readQuery(['server-status'], null, get('/server-status'), {
  staleTime: EVERY_MS,
  refetchInterval: EVERY_MS,
  // If the server can't be reached, other queries show it.
  retry: false,
});

/** Reads the server status again if an error says that storage is full. */
export function noteStorageFull(queryClient: QueryClient, error: unknown): void {
  if (error instanceof ApiProblem && error.code === 'storage_full')
    void queryClient.invalidateQueries({ queryKey: serverStatusQuery.queryKey });
}
