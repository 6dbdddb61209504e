/** Polls the API keys of a workspace until one was used. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { apiKeysQuery } from '../../api/api-keys.ts';
import type { ApiKey } from '../../api/types.ts';

const POLL_MS = 1000;

const latestUsed = (keys: readonly ApiKey[]): ApiKey | undefined =>
  keys
    .filter(({ last_used_at }) => last_used_at !== null)
    .toSorted((a, b) => Date.parse(b.last_used_at ?? '') - Date.parse(a.last_used_at ?? ''))[0];

/** @param enabled whether the user can read API keys */
export function useFirstCall(workspaceId: string, enabled: boolean) {
  const query = useInfiniteQuery({
    ...apiKeysQuery(workspaceId),
    enabled,
    // Polls in the background too, since the user is in a terminal meanwhile.
    refetchIntervalInBackground: true,
    refetchInterval: ({ state: { data } }) => {
      const keys = data?.pages.flatMap((page) => page.data) ?? [];
      return keys.length > 0 && !latestUsed(keys) ? POLL_MS : false;
    },
  });
  return { query, keys: query.data ?? [], arrived: latestUsed(query.data ?? []) };
}
