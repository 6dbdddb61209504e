/** Watches the keys of a workspace for the first call with any of them. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { apiKeysQuery } from '../../api/api-keys.ts';
import type { ApiKey } from '../../api/types.ts';

const POLL_MS = 1000;

const latestUsed = (keys: readonly ApiKey[]): ApiKey | undefined =>
  keys
    .filter(({ last_used_at }) => last_used_at !== null)
    .toSorted((a, b) => Date.parse(b.last_used_at ?? '') - Date.parse(a.last_used_at ?? ''))[0];

/** @param enabled whether the user may read keys at all */
export function useFirstCall(workspaceId: string, enabled: boolean) {
  const query = useInfiniteQuery({
    ...apiKeysQuery(workspaceId),
    enabled,
    // The terminal is in front while one waits, so this must go on in a tab that is not.
    refetchIntervalInBackground: true,
    refetchInterval: ({ state: { data } }) => {
      const keys = data?.pages.flatMap((page) => page.data) ?? [];
      return keys.length > 0 && !latestUsed(keys) ? POLL_MS : false;
    },
  });
  return { query, keys: query.data ?? [], arrived: latestUsed(query.data ?? []) };
}
