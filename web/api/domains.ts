/** Host names of one's own for short links. */
import { queryOptions } from '@tanstack/react-query';
import { apiFor, unwrap } from './client.ts';
import { listQuery } from './list.ts';
import type { operations } from './schema.d.ts';
import type { Domain } from './types.ts';

export type NewDomain = NonNullable<
  operations['domains.create']['requestBody']
>['content']['application/json'];
export type DomainChange = NonNullable<
  operations['domains.update']['requestBody']
>['content']['application/json'];

/** How often is asked for what no event tells of: look-ups that found nothing. */
const LIST_MS = 10_000;
/** The most that a page of the API holds. */
const PAGE = 100;

export const domainsKey = (workspaceId: string) => ['ws', workspaceId, 'domains'] as const;

export const domainsQuery = (workspaceId: string, state?: Domain['state']) => ({
  ...listQuery([...domainsKey(workspaceId), 'list', state], (page, signal) =>
    unwrap(
      apiFor(workspaceId).GET('/api/v1/domains', {
        params: { query: { ...page, ...(state && { state }) } },
        signal,
      }),
    ),
  ),
  // Not once further pages are loaded, which would all be read again.
  refetchInterval: ({ state: read }: { state: { data?: { pages: unknown[] } | undefined } }) =>
    (read.data?.pages.length ?? 0) <= 1 ? LIST_MS : (false as const),
});

export const domainQuery = (workspaceId: string, id: string) =>
  queryOptions({
    queryKey: [...domainsKey(workspaceId), 'one', id],
    queryFn: ({ signal }) =>
      unwrap(apiFor(workspaceId).GET('/api/v1/domains/{id}', { params: { path: { id } }, signal })),
  });

/** Hosts that links can be on, beside this server's own: the newest hundred. */
export const linkHostsQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: [...domainsKey(workspaceId), 'hosts'],
    queryFn: ({ signal }) =>
      unwrap(
        apiFor(workspaceId).GET('/api/v1/domains', {
          params: { query: { limit: PAGE, state: 'verified' } },
          signal,
        }),
      ).then((list) => list.data.map(({ host }) => host).toSorted()),
  });

export const createDomain = (workspaceId: string, body: NewDomain): Promise<Domain> =>
  unwrap(apiFor(workspaceId).POST('/api/v1/domains', { body }));

export const updateDomain = (workspaceId: string, id: string, body: DomainChange): Promise<Domain> =>
  unwrap(apiFor(workspaceId).PATCH('/api/v1/domains/{id}', { params: { path: { id } }, body }));

/** Looks the record up now. */
export const verifyDomain = (workspaceId: string, id: string): Promise<Domain> =>
  unwrap(apiFor(workspaceId).POST('/api/v1/domains/{id}/verify', { params: { path: { id } } }));

export const deleteDomain = (workspaceId: string, id: string) =>
  unwrap(apiFor(workspaceId).DELETE('/api/v1/domains/{id}', { params: { path: { id } } }));
