/** Short links, and bulk calls on them. */
import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { apiFor, unwrap } from './client.ts';
import { ifMatch } from './edit.ts';
import { pathWith } from './download.ts';
import { listQuery } from './list.ts';
import type { operations } from './schema.d.ts';
import { tagsKey } from './tags.ts';
import type { Link } from './types.ts';

export type NewLink = NonNullable<operations['links.create']['requestBody']>['content']['application/json'];
export type LinkChange = NonNullable<
  operations['links.update']['requestBody']
>['content']['application/json'];
export type LinkFilter = Omit<
  NonNullable<operations['links.list']['parameters']['query']>,
  'limit' | 'cursor' | 'sort'
>;
export type LinkSort = NonNullable<NonNullable<operations['links.list']['parameters']['query']>['sort']>;

/** Polling intervals, for click counts: they have no event. */
const LIST_MS = 10_000;
const ONE_MS = 5000;

const linksKey = (workspaceId: string) => ['ws', workspaceId, 'links'] as const;

/** Refreshes all queries on links, and on the tags that they create or remove. */
export const refreshLinks = async (client: QueryClient, workspaceId: string): Promise<void> => {
  await Promise.all([
    client.invalidateQueries({ queryKey: linksKey(workspaceId) }),
    client.invalidateQueries({ queryKey: tagsKey(workspaceId) }),
  ]);
};

export const linksQuery = (workspaceId: string, filter: LinkFilter, sort: LinkSort) => ({
  ...listQuery([...linksKey(workspaceId), 'list', filter, sort], (page, signal) =>
    unwrap(
      apiFor(workspaceId).GET('/api/v1/links', { params: { query: { ...page, ...filter, sort } }, signal }),
    ),
  ),
  // Not once further pages are loaded, which would all be read again.
  refetchInterval: ({ state }: { state: { data?: { pages: unknown[] } | undefined } }) =>
    (state.data?.pages.length ?? 0) <= 1 ? LIST_MS : (false as const),
});

/** How many match: counted up to a limit. */
export const linkCountQuery = (workspaceId: string, filter: LinkFilter) =>
  queryOptions({
    queryKey: [...linksKey(workspaceId), 'count', filter],
    queryFn: ({ signal }) =>
      unwrap(apiFor(workspaceId).GET('/api/v1/links/count', { params: { query: filter }, signal })),
  });

export const linkQuery = (workspaceId: string, id: string) =>
  queryOptions({
    queryKey: [...linksKey(workspaceId), 'one', id],
    queryFn: ({ signal }) =>
      unwrap(apiFor(workspaceId).GET('/api/v1/links/{id}', { params: { path: { id } }, signal })),
    refetchInterval: ONE_MS,
  });

const MAX_OPTIONS = 20;
const shortName = ({ short_url: address }: Link): string => address.replace(/^https?:\/\//, '');

/** Gets the first links that a text finds, as the options of a field. */
export const linkOptionsQuery = (workspaceId: string, search: string) => ({
  queryKey: [...linksKey(workspaceId), 'options', search],
  queryFn: async ({ signal }: { signal: AbortSignal }) => {
    const query = { limit: MAX_OPTIONS, ...(search !== '' && { search }) };
    const { data } = await unwrap(apiFor(workspaceId).GET('/api/v1/links', { params: { query }, signal }));
    return data.map((link) => ({ value: link.id, label: shortName(link) }));
  },
});

/** Gets the short URL of a link. */
export const linkNameQuery = (workspaceId: string, id: string) => ({
  queryKey: [...linksKey(workspaceId), 'name', id],
  queryFn: async ({ signal }: { signal: AbortSignal }): Promise<string> =>
    shortName(
      await unwrap(apiFor(workspaceId).GET('/api/v1/links/{id}', { params: { path: { id } }, signal })),
    ),
});

export const createLink = (workspaceId: string, body: NewLink): Promise<Link> =>
  unwrap(apiFor(workspaceId).POST('/api/v1/links', { body }));

/** @param version the ETag that was read; null overwrites whatever there is */
export const updateLink = (
  workspaceId: string,
  id: string,
  body: LinkChange,
  version: string | null = null,
): Promise<Link> =>
  unwrap(
    apiFor(workspaceId).PATCH('/api/v1/links/{id}', { params: { path: { id }, ...ifMatch(version) }, body }),
  );

export const deleteLink = (workspaceId: string, id: string) =>
  unwrap(apiFor(workspaceId).DELETE('/api/v1/links/{id}', { params: { path: { id } } }));

/** Path of the import. @param domain that all are on; empty: as each line says */
export const linkImportPath = (domain: string): string =>
  pathWith('/links/import', { domain: domain || undefined });

/** Path of the export: all that match. */
export const linkExportPath = (filter: LinkFilter): string => pathWith('/links/export', filter);

export type BulkChange = Omit<
  operations['links.update_bulk']['requestBody']['content']['application/json'],
  'ids'
>;
export type BulkAnswer = operations['links.update_bulk']['responses']['200']['content']['application/json'];

/** The most that a call takes. */
const MAX_AT_ONCE = 1000;

/** One call after the other, where there are more than one takes. Results are in the order of `ids`. */
async function inParts(
  ids: readonly string[],
  call: (part: string[]) => Promise<BulkAnswer>,
): Promise<BulkAnswer['results']> {
  const results: BulkAnswer['results'] = [];
  for (let from = 0; from < ids.length; from += MAX_AT_ONCE)
    results.push(...(await call(ids.slice(from, from + MAX_AT_ONCE))).results);
  return results;
}

/** The same change for each of them. */
export const updateLinks = (workspaceId: string, ids: readonly string[], change: BulkChange) =>
  inParts(ids, (part) =>
    unwrap(apiFor(workspaceId).PATCH('/api/v1/links/bulk', { body: { ids: part, ...change } })),
  );

export const deleteLinks = (workspaceId: string, ids: readonly string[]) =>
  inParts(ids, (part) => unwrap(apiFor(workspaceId).DELETE('/api/v1/links/bulk', { body: { ids: part } })));
