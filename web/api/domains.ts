/** Domains for short links. */
import { queryOptions } from '@tanstack/react-query';
import { apiFor, unwrap } from './client.ts';
import { ifMatch } from './edit.ts';
import { listQuery } from './list.ts';
import type { operations } from './schema.d.ts';
import type { Domain } from './types.ts';

export type NewDomain = NonNullable<
  operations['domains.create']['requestBody']
>['content']['application/json'];
export type DomainChange = NonNullable<
  operations['domains.update']['requestBody']
>['content']['application/json'];

/** How often the list is polled, since failed checks emit no event. */
const LIST_MS = 10_000;

export const domainsKey = (workspaceId: string) => ['ws', workspaceId, 'domains'] as const;

export const domainsQuery = (workspaceId: string, search?: string, state?: Domain['state']) => ({
  ...listQuery([...domainsKey(workspaceId), 'list', search, state], (page, signal) =>
    unwrap(
      apiFor(workspaceId).GET('/api/v1/domains', {
        params: { query: { ...page, ...(search && { search }), ...(state && { state }) } },
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

export const createDomain = (workspaceId: string, body: NewDomain): Promise<Domain> =>
  unwrap(apiFor(workspaceId).POST('/api/v1/domains', { body }));

/** @param version the ETag that was read; null overwrites whatever there is */
export const updateDomain = (
  workspaceId: string,
  id: string,
  body: DomainChange,
  version: string | null = null,
): Promise<Domain> =>
  unwrap(
    apiFor(workspaceId).PATCH('/api/v1/domains/{id}', {
      params: { path: { id }, ...ifMatch(version) },
      body,
    }),
  );

/** Looks the record up now. */
export const verifyDomain = (workspaceId: string, id: string): Promise<Domain> =>
  unwrap(apiFor(workspaceId).POST('/api/v1/domains/{id}/verify', { params: { path: { id } } }));

export const deleteDomain = (workspaceId: string, id: string) =>
  unwrap(apiFor(workspaceId).DELETE('/api/v1/domains/{id}', { params: { path: { id } } }));
