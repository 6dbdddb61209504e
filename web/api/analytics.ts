/** Click analytics, single clicks, and QR codes of links. */
import { queryOptions } from '@tanstack/react-query';
import { readQuery } from './read.ts';
import { get, send, type FilterOf, pathWith } from './call.ts';
import { download } from './download.ts';
import { listQuery } from './list.ts';
import { ApiProblem } from './problem.ts';
import type { components, operations } from './schema.d.ts';

export type Analytics = components['schemas']['Analytics'];
export type AnalyticsItem = Analytics['data'][number];
export type Click = components['schemas']['Click'];
export type AnalyticsQuery = FilterOf<'/analytics'> & { limit?: number };
export type ClickFilter = FilterOf<'/links/{id}/clicks'>;
export type QrLook = Required<Omit<NonNullable<operations['links.qr']['parameters']['query']>, 'format'>>;

/** How long unused results stay cached. */
const KEPT_MS = 60_000;

const analyticsKey = (workspaceId: string) => ['ws', workspaceId, 'analytics'] as const;

/** Prefix of the query keys on one link, or on all links. */
export const analyticsAbout = (workspaceId: string, linkId: string | undefined) =>
  [...analyticsKey(workspaceId), linkId ?? 'all'] as const;

export const analyticsCall = (query: AnalyticsQuery) => get('/analytics', { query });

const isTooLong = (error: unknown): boolean => error instanceof ApiProblem && error.code === 'range_too_long';

/**
 * Returns the sums of a period and of the period before it. Leaves out the latter if it is too old or too expensive to
 * count.
 * @throws ApiProblem
 */
async function analyze(workspaceId: string, query: AnalyticsQuery, signal: AbortSignal): Promise<Analytics> {
  const ask = (asked: AnalyticsQuery): Promise<Analytics> =>
    send(workspaceId, analyticsCall(asked), { signal });
  const { compare, ...alone } = query;
  if (compare === undefined) return ask(alone);
  try {
    return await ask(query);
  } catch (error) {
    if (!isTooLong(error)) throw error;
    return ask(alone);
  }
}

export const analyticsQuery = (workspaceId: string, query: AnalyticsQuery) =>
  queryOptions({
    queryKey: [...analyticsAbout(workspaceId, query.link_id), query],
    queryFn: ({ signal }) => analyze(workspaceId, query, signal),
    gcTime: KEPT_MS,
  });

export const analyticsExportPath = (query: AnalyticsQuery): string => pathWith('/analytics/export', query);

export const clicksCall = (linkId: string, filter: ClickFilter) =>
  get('/links/{id}/clicks', { path: { id: linkId }, query: filter });

export const clicksQuery = (workspaceId: string, linkId: string, filter: ClickFilter) =>
  listQuery(['ws', workspaceId, 'clicks', linkId, filter], workspaceId, clicksCall(linkId, filter));

export const clickQuery = (workspaceId: string, linkId: string, id: string) =>
  readQuery(
    ['ws', workspaceId, 'click', linkId, id],
    workspaceId,
    get('/links/{id}/clicks/{click_id}', { path: { id: linkId, click_id: id } }),
    { staleTime: Infinity },
  );

export const clicksExportPath = (linkId: string, filter: ClickFilter): string =>
  pathWith(`/links/${linkId}/clicks/export`, filter);

export const qrPath = (linkId: string, look: Partial<QrLook>, format: 'svg' | 'png'): string =>
  pathWith(`/links/${linkId}/qr`, { format, ...look });

/** The code as the server draws it, as the text of an SVG. */
export const qrQuery = (workspaceId: string, linkId: string, shortUrl: string, look: Partial<QrLook>) =>
  queryOptions({
    queryKey: ['ws', workspaceId, 'qr', linkId, shortUrl, look],
    queryFn: async () => (await download(workspaceId, qrPath(linkId, look, 'svg'))).text(),
    staleTime: Infinity,
    gcTime: KEPT_MS,
  });
