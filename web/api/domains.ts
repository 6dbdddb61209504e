/** Domains for short links. */
import { readQuery } from './read.ts';
import { get, post, patch, del, type BodyOf } from './call.ts';
import { listQuery, pollFirstPage } from './list.ts';
import type { Domain } from './types.ts';

export type NewDomain = BodyOf<'post', '/domains'>;

/** How often the list is polled, since failed checks emit no event. */
const LIST_MS = 10_000;

export const domainsKey = (workspaceId: string) => ['ws', workspaceId, 'domains'] as const;

export const domainsQuery = (workspaceId: string, search?: string, state?: Domain['state']) => ({
  ...listQuery(
    [...domainsKey(workspaceId), 'list', search, state],
    workspaceId,
    get('/domains', { query: { search, state } }),
  ),
  refetchInterval: pollFirstPage(LIST_MS),
});

export const domainQuery = (workspaceId: string, id: string) =>
  readQuery([...domainsKey(workspaceId), 'one', id], workspaceId, get('/domains/{id}', { path: { id } }));

export const createDomain = (body: NewDomain) => post('/domains', { body });

export const updateDomain = (id: string, body: BodyOf<'patch', '/domains/{id}'>) =>
  patch('/domains/{id}', { path: { id }, body });

/** Looks the record up now. */
export const verifyDomain = (id: string) => post('/domains/{id}/verify', { path: { id } });

export const deleteDomain = (id: string) => del('/domains/{id}', { path: { id } });
