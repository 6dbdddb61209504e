/** Watches one key until the first call with it. */
import { useQuery } from '@tanstack/react-query';
import { apiKeyQuery } from '../../api/api-keys.ts';
import type { ApiKey } from '../../api/types.ts';

const POLL_MS = 1000;

/** The key, once a call with it has come. @param id undefined while there is none to watch */
export function useCalledKey(workspaceId: string, id: string | undefined): ApiKey | undefined {
  const { data } = useQuery({
    ...apiKeyQuery(workspaceId, id ?? ''),
    enabled: id !== undefined,
    // The visited page is in front while one waits.
    refetchIntervalInBackground: true,
    refetchInterval: ({ state }) => (state.data?.last_used_at ? false : POLL_MS),
  });
  return data?.last_used_at ? data : undefined;
}
