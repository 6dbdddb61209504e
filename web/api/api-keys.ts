/** API keys. A secret is in the answer that creates or rotates a key and nowhere else; it is never cached. */
import { queryOptions } from '@tanstack/react-query';
import { apiFor, unwrap } from './client.ts';
import { listQuery } from './list.ts';
import type { operations } from './schema.d.ts';

export type NewApiKey = operations['api_keys.create']['requestBody']['content']['application/json'];
export type ApiKeyChange = NonNullable<
  operations['api_keys.update']['requestBody']
>['content']['application/json'];

export interface ApiKeyFilter {
  state?: 'active' | 'expired' | 'revoked';
}

export const apiKeysQuery = (workspaceId: string, filter: ApiKeyFilter = {}) =>
  listQuery(['ws', workspaceId, 'api-keys', filter], (page, signal) =>
    unwrap(
      apiFor(workspaceId).GET('/api/v1/api-keys', { params: { query: { ...page, ...filter } }, signal }),
    ),
  );

export const apiKeyQuery = (workspaceId: string, id: string) =>
  queryOptions({
    queryKey: ['ws', workspaceId, 'api-key', id],
    queryFn: ({ signal }) =>
      unwrap(apiFor(workspaceId).GET('/api/v1/api-keys/{id}', { params: { path: { id } }, signal })),
  });

/** Every scope there is, with what it allows, and the presets. */
export const scopesQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['ws', workspaceId, 'scopes'],
    queryFn: ({ signal }) => unwrap(apiFor(workspaceId).GET('/api/v1/scopes', { signal })),
    staleTime: Infinity,
  });

export const createApiKey = (workspaceId: string, body: NewApiKey) =>
  unwrap(apiFor(workspaceId).POST('/api/v1/api-keys', { body }));

export const updateApiKey = (workspaceId: string, id: string, body: ApiKeyChange) =>
  unwrap(apiFor(workspaceId).PATCH('/api/v1/api-keys/{id}', { params: { path: { id } }, body }));

/** @param overlapSeconds how long the old secret still works beside the new one */
export const rotateApiKey = (workspaceId: string, id: string, overlapSeconds: number) =>
  unwrap(
    apiFor(workspaceId).POST('/api/v1/api-keys/{id}/rotate', {
      params: { path: { id } },
      body: { overlap_seconds: overlapSeconds },
    }),
  );

/** @param disableCreated whether to disable what the key created */
export const revokeApiKey = (workspaceId: string, id: string, disableCreated: boolean) =>
  unwrap(
    apiFor(workspaceId).POST('/api/v1/api-keys/{id}/revoke', {
      params: { path: { id } },
      body: { disable_created: disableCreated },
    }),
  );
