/** Records that the rows of a page refer to, such as the instances of messages. */
import { type QueryKey, useQueries, useQuery, type UseQueryOptions } from '@tanstack/react-query';

interface Queries<T, F extends QueryKey, O extends QueryKey> {
  /** Gets a page of records that most of the wanted ones are on. */
  first?: UseQueryOptions<T[], Error, T[], F>;
  one: (id: string) => UseQueryOptions<T, Error, T, O>;
  enabled?: boolean;
}

const STALE_MS = 60_000;

/** Returns the records of the given IDs, as far as they are loaded. Those that `first` lacks are read one by one. */
export function useRecordsOf<T extends { id: string }, F extends QueryKey, O extends QueryKey>(
  ids: readonly string[],
  { first, one, enabled = true }: Queries<T, F, O>,
): ReadonlyMap<string, T> {
  const wanted = enabled ? [...new Set(ids)].filter(Boolean) : [];
  const list = useQuery({
    ...(first ?? { queryKey: ['none'] as unknown as F, queryFn: () => [] }),
    enabled: first !== undefined && wanted.length > 0,
  });
  const known = new Map(list.data?.map((record) => [record.id, record]));
  const missing = first && list.isPending ? [] : wanted.filter((id) => !known.has(id));
  const others = useQueries({
    queries: missing.map((id) => ({
      ...one(id),
      retry: false,
      refetchInterval: false as const,
      staleTime: STALE_MS,
    })),
  });
  for (const { data } of others) if (data) known.set(data.id, data);
  return known;
}
