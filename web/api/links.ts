/** Short links, and bulk calls on them. */
import { type QueryClient } from '@tanstack/react-query';
import { readQuery } from './read.ts';
import { type ApiCall, get, send, post, patch, del, type BodyOf, type FilterOf, pathWith } from './call.ts';
import { listQuery, pollFirstPage } from './list.ts';
import type { operations } from './schema.d.ts';
import { tagsKey } from './tags.ts';
import type { Link } from './types.ts';

export type NewLink = BodyOf<'post', '/links'>;
export type LinkChange = BodyOf<'patch', '/links/{id}'>;
export type LinkFilter = Omit<FilterOf<'/links'>, 'sort'>;
export type LinkSort = NonNullable<FilterOf<'/links'>['sort']>;

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
  ...listQuery(
    [...linksKey(workspaceId), 'list', filter, sort],
    workspaceId,
    get('/links', { query: { ...filter, sort } }),
  ),
  refetchInterval: pollFirstPage(LIST_MS),
});

/** How many match: counted up to a limit. */
export const linkCountQuery = (workspaceId: string, filter: LinkFilter) =>
  readQuery([...linksKey(workspaceId), 'count', filter], workspaceId, get('/links/count', { query: filter }));

export const linkQuery = (workspaceId: string, id: string) =>
  readQuery([...linksKey(workspaceId), 'one', id], workspaceId, get('/links/{id}', { path: { id } }), {
    refetchInterval: ONE_MS,
  });

const MAX_OPTIONS = 20;
const shortName = ({ short_url: address }: Link): string => address.replace(/^https?:\/\//, '');

/** Gets the first links that a text finds, as the options of a field. */
export const linkOptionsQuery = (workspaceId: string, search: string) => ({
  queryKey: [...linksKey(workspaceId), 'options', search],
  queryFn: async ({ signal }: { signal: AbortSignal }) => {
    const query = { limit: MAX_OPTIONS, search: search || undefined };
    const { data } = await send(workspaceId, get('/links', { query }), { signal });
    return data.map((link) => ({ value: link.id, label: shortName(link) }));
  },
});

/** Gets the short URL of a link. */
export const linkNameQuery = (workspaceId: string, id: string) => ({
  queryKey: [...linksKey(workspaceId), 'name', id],
  queryFn: async ({ signal }: { signal: AbortSignal }): Promise<string> =>
    shortName(await send(workspaceId, get('/links/{id}', { path: { id } }), { signal })),
});

export const createLink = (body: NewLink) => post('/links', { body });

export const updateLink = (id: string, body: LinkChange) => patch('/links/{id}', { path: { id }, body });

export const deleteLink = (id: string) => del('/links/{id}', { path: { id } });

/** Path of the import. @param domain that all are on; empty: as each line says */
export const linkImportPath = (domain: string): string =>
  pathWith('/links/import', { domain: domain || undefined });

/** Path of the export: all that match. */
export const linkExportPath = (filter: LinkFilter): string => pathWith('/links/export', filter);

export type BulkChange = Omit<BodyOf<'patch', '/links/bulk'>, 'ids'>;
type BulkAnswer = operations['links.update_bulk']['responses']['200']['content']['application/json'];
export type BulkResults = BulkAnswer['results'];

/** The same change for each of them. */
export const updateLinks = (ids: string[], change: BulkChange) =>
  patch('/links/bulk', { body: { ids, ...change } });

export const deleteLinks = (ids: string[]) => del('/links/bulk', { body: { ids } });

/** The most that a call takes. */
const MAX_AT_ONCE = 1000;

/** Sends one call after the other, where there are more links than one takes. Results are in the order of `ids`. */
export async function sendInParts(
  workspaceId: string,
  ids: readonly string[],
  call: (part: string[]) => ApiCall<BulkAnswer>,
): Promise<BulkResults> {
  const results: BulkResults = [];
  for (let from = 0; from < ids.length; from += MAX_AT_ONCE)
    results.push(...(await send(workspaceId, call(ids.slice(from, from + MAX_AT_ONCE)))).results);
  return results;
}
