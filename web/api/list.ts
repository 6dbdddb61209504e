/** A list of the API as one growing query: pages are fetched by cursor and shown as one array. */
import { type InfiniteData, infiniteQueryOptions } from '@tanstack/react-query';
import { type ApiCall, pathWith, send } from './call.ts';
import type { Page } from './types.ts';

/** Objects a page of a list. */
const PAGE_SIZE = 50;

/** The most that a page of the API holds. */
const MAX_PAGE_SIZE = 100;

/** Returns the call of one page of a list. @param limit unless the call has its own @param cursor null for the first */
export const getPage = <T>(
  { path, ...call }: ApiCall<Page<T>>,
  limit: number,
  cursor: string | null,
): ApiCall<Page<T>> => ({
  ...call,
  path: pathWith(path, {
    limit: /[?&]limit=/.test(path) ? undefined : limit,
    cursor: cursor ?? undefined,
  }),
});

/** Reads a whole list, page by page. For lists of a few pages. */
export async function allPages<T>(
  workspaceId: string | null,
  call: ApiCall<Page<T>>,
  signal: AbortSignal,
): Promise<T[]> {
  const all: T[] = [];
  for (let cursor: string | null = null; ;) {
    const page: Page<T> = await send(workspaceId, getPage(call, MAX_PAGE_SIZE, cursor), { signal });
    all.push(...page.data);
    cursor = page.next_cursor;
    if (cursor === null) return all;
  }
}

/**
 * Returns the interval of a list that is polled. Further pages stop the polling, because all of them would be read again.
 * @param ms between polls
 * @param live false stops the polling
 */
export const pollFirstPage =
  (ms: number, live = true) =>
  ({ state: { data } }: { state: { data?: { pages: unknown[] } | undefined } }): number | false =>
    live && (data?.pages.length ?? 0) <= 1 ? ms : false;

/** Whether two query keys differ in nothing but the objects in them, which hold filters. */
const isSameList = (key: readonly unknown[], other: readonly unknown[]): boolean =>
  key.length === other.length && key.every((part, i) => typeof part === 'object' || part === other[i]);

/**
 * Returns a list query. Its rows stay while those of another filter load: a row that is being clicked when a search
 * starts is not removed under the pointer.
 *
 * @param queryKey unique for workspace, noun and filters
 * @param call reads the list; pages are added
 */
export function listQuery<T>(queryKey: readonly unknown[], workspaceId: string, call: ApiCall<Page<T>>) {
  return infiniteQueryOptions({
    queryKey,
    queryFn: ({ pageParam, signal }) => send(workspaceId, getPage(call, PAGE_SIZE, pageParam), { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: (page: Page<T>) => page.next_cursor,
    select: (data) => data.pages.flatMap((page) => page.data),
    placeholderData: (shown: InfiniteData<Page<T>, string | null> | undefined, query) =>
      // Without rows the list would appear empty.
      query && isSameList(query.queryKey, queryKey) && shown?.pages[0]?.data.length ? shown : undefined,
  });
}
