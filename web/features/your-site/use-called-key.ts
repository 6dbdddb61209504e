import { useQuery } from '@tanstack/react-query';
import { apiKeyQuery } from '../../api/api-keys.ts';
import type { ApiKey } from '../../api/types.ts';

const POLL_MS = 1000;

/**
 * Polls a key and returns it once it was used.
 * @param id undefined while there is no key to watch
 */
export function useCalledKey(workspaceId: string, id: string | undefined): ApiKey | undefined {
  const { data } = useQuery({
    ...apiKeyQuery(workspaceId, id ?? ''),
    enabled: id !== undefined,
    // Polls in the background too, since the user is on their own page meanwhile.
    refetchIntervalInBackground: true,
    refetchInterval: ({ state }) => (state.data?.last_used_at ? false : POLL_MS),
  });
  return data?.last_used_at ? data : undefined;
}
