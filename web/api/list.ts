/** A list of the API as one growing query: pages are fetched by cursor and shown as one array. */
import { infiniteQueryOptions } from '@tanstack/react-query';
import type { Page } from './types.ts';

/** Objects a page of a list. */
const PAGE_SIZE = 50;

export interface PageRequest {
  limit: number;
  cursor?: string;
}

/**
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
  });
}
