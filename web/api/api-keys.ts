/** API keys. A secret is in the answer that creates or rotates a key and nowhere else; it is never cached. */
import { queryOptions } from '@tanstack/react-query';
import { apiFor, unwrap } from './client.ts';
import { ifMatch } from './edit.ts';
import { listQuery } from './list.ts';
import type { operations } from './schema.d.ts';

export type NewApiKey = operations['api_keys.create']['requestBody']['content']['application/json'];
export type ApiKeyChange = NonNullable<
  operations['api_keys.update']['requestBody']
>['content']['application/json'];

const MAX_OPTIONS = 20;

export interface ApiKeyFilter {
  /** Part of the name. */
  search?: string;
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

/** The keys whose name contains a text, as options of a filter. */
export const apiKeyOptionsQuery = (workspaceId: string, search: string) => ({
  queryKey: ['ws', workspaceId, 'api-key-options', search],
  queryFn: async ({ signal }: { signal: AbortSignal }) => {
    const query = { limit: MAX_OPTIONS, ...(search !== '' && { search }) };
    const { data } = await unwrap(apiFor(workspaceId).GET('/api/v1/api-keys', { params: { query }, signal }));
    return data.map(({ id, name }) => ({ value: id, label: name }));
  },
});

export const apiKeyNameQuery = (workspaceId: string, id: string) => ({
  queryKey: ['ws', workspaceId, 'api-key-name', id],
  queryFn: ({ signal }: { signal: AbortSignal }) =>
    unwrap(apiFor(workspaceId).GET('/api/v1/api-keys/{id}', { params: { path: { id } }, signal })).then(
      ({ name }) => name,
    ),
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

/** @param version the ETag that was read; null overwrites whatever there is */
export const updateApiKey = (
  workspaceId: string,
  id: string,
  body: ApiKeyChange,
  version: string | null = null,
) =>
  unwrap(
    apiFor(workspaceId).PATCH('/api/v1/api-keys/{id}', {
      params: { path: { id }, ...ifMatch(version) },
      body,
    }),
  );

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
