/** A list of the API as one growing query: pages are fetched by cursor and shown as one array. */
import { type InfiniteData, infiniteQueryOptions } from '@tanstack/react-query';
import type { Page } from './types.ts';

/** Objects a page of a list. */
const PAGE_SIZE = 50;

export interface PageRequest {
  limit: number;
  cursor?: string;
}

/** The most that a page of the API holds. */
const MAX_PAGE_SIZE = 100;

/** Reads a whole list, page by page. For lists of a few pages. */
export async function allPages<T>(fetchPage: (page: PageRequest) => Promise<Page<T>>): Promise<T[]> {
  const all: T[] = [];
  for (let cursor: string | null = null; ;) {
    const page: Page<T> = await fetchPage({ limit: MAX_PAGE_SIZE, ...(cursor !== null && { cursor }) });
    all.push(...page.data);
    cursor = page.next_cursor;
    if (cursor === null) return all;
  }
}

/** Whether two query keys differ in nothing but the objects in them, which hold filters. */
const isSameList = (key: readonly unknown[], other: readonly unknown[]): boolean =>
  key.length === other.length && key.every((part, i) => typeof part === 'object' || part === other[i]);

/**
 * Returns a list query. Its rows stay while those of another filter load: a row that is being clicked when a search
 * starts is not removed under the pointer.
 *
 * @param queryKey unique for workspace, noun and filters
 * @param fetchPage gets one page; undefined filters must be left out of the request
 */
export function listQuery<T>(
  queryKey: readonly unknown[],
  fetchPage: (page: PageRequest, signal: AbortSignal) => Promise<Page<T>>,
) {
  return infiniteQueryOptions({
    queryKey,
    queryFn: ({ pageParam, signal }) =>
      fetchPage({ limit: PAGE_SIZE, ...(pageParam !== null && { cursor: pageParam }) }, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (page: Page<T>) => page.next_cursor,
    select: (data) => data.pages.flatMap((page) => page.data),
    placeholderData: (shown: InfiniteData<Page<T>, string | null> | undefined, query) =>
      // Without rows it would say that there are none.
      query && isSameList(query.queryKey, queryKey) && shown?.pages[0]?.data.length ? shown : undefined,
  });
}
