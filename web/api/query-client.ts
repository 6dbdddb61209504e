/** How answers are cached: kept fresh for a few seconds, retried only where the same call may yet succeed. */
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiProblem } from './problem.ts';
import { noteStorageFull } from './server-status.ts';

const RETRIES = 2;

/** Error codes of a call without a valid session; the second if there is no cookie. */
const SIGNED_OUT = ['not_signed_in', 'invalid_key'];

const mayYetSucceed = (error: unknown): boolean =>
  error instanceof ApiProblem && (error.status === 0 || error.status === 429 || error.status >= 500);

/** @param onSignedOut called when any response says that the session has ended. */
export function createQueryClient(onSignedOut: () => void): QueryClient {
  const onError = (error: unknown): void => {
    if (error instanceof ApiProblem && SIGNED_OUT.includes(error.code)) onSignedOut();
    noteStorageFull(client, error);
  };
  const client = new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: {
        staleTime: 10_000,
        retry: (failures, error) => failures < RETRIES && mayYetSucceed(error),
      },
    },
  });
  return client;
}
