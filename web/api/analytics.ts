/** Click analytics, single clicks, and QR codes of links. */
import { queryOptions } from '@tanstack/react-query';
import { apiFor, unwrap } from './client.ts';
import { download, pathWith } from './download.ts';
import { listQuery } from './list.ts';
import { ApiProblem } from './problem.ts';
import type { components, operations } from './schema.d.ts';

export type Analytics = components['schemas']['Analytics'];
export type AnalyticsItem = Analytics['data'][number];
export type Click = components['schemas']['Click'];
export type AnalyticsQuery = NonNullable<operations['analytics.get']['parameters']['query']>;
export type ClickFilter = Omit<
  NonNullable<operations['clicks.list']['parameters']['query']>,
  'limit' | 'cursor'
>;
export type QrLook = Required<Omit<NonNullable<operations['links.qr']['parameters']['query']>, 'format'>>;

/** How long unused results stay cached. */
const KEPT_MS = 60_000;

const analyticsKey = (workspaceId: string) => ['ws', workspaceId, 'analytics'] as const;

/** Prefix of the query keys on one link, or on all links. */
export const analyticsAbout = (workspaceId: string, linkId: string | undefined) =>
  [...analyticsKey(workspaceId), linkId ?? 'all'] as const;

const isTooLong = (error: unknown): boolean => error instanceof ApiProblem && error.code === 'range_too_long';

/**
 * Sums with those of the period before. Where only that is too much, or too long ago to be counted, without it.
 * @throws ApiProblem
 */
async function analyze(workspaceId: string, query: AnalyticsQuery, signal: AbortSignal): Promise<Analytics> {
  const ask = (asked: AnalyticsQuery): Promise<Analytics> =>
    unwrap(apiFor(workspaceId).GET('/api/v1/analytics', { params: { query: asked }, signal }));
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

export const analyticsPath = (query: AnalyticsQuery): string => pathWith('/analytics', query);
export const analyticsExportPath = (query: AnalyticsQuery): string => pathWith('/analytics/export', query);

export const clicksQuery = (workspaceId: string, linkId: string, filter: ClickFilter) =>
  listQuery(['ws', workspaceId, 'clicks', linkId, filter], (page, signal) =>
    unwrap(
      apiFor(workspaceId).GET('/api/v1/links/{id}/clicks', {
        params: { path: { id: linkId }, query: { ...page, ...filter } },
        signal,
      }),
    ),
  );

export const clickQuery = (workspaceId: string, linkId: string, id: string) =>
  queryOptions({
    queryKey: ['ws', workspaceId, 'click', linkId, id],
    queryFn: ({ signal }) =>
      unwrap(
        apiFor(workspaceId).GET('/api/v1/links/{id}/clicks/{click_id}', {
          params: { path: { id: linkId, click_id: id } },
          signal,
        }),
      ),
    staleTime: Infinity,
  });

export const clicksPath = (linkId: string, filter: ClickFilter): string =>
  pathWith(`/links/${linkId}/clicks`, filter);
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
