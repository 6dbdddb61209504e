/** API keys. A secret is in the answer that creates or rotates a key and nowhere else; it is never cached. */
import { readQuery } from './read.ts';
import { get, send, post, patch, type BodyOf, type FilterOf } from './call.ts';
import { listQuery } from './list.ts';

export type NewApiKey = BodyOf<'post', '/api-keys'>;
export type ApiKeyChange = BodyOf<'patch', '/api-keys/{id}'>;

const MAX_OPTIONS = 20;

export const apiKeysQuery = (workspaceId: string, filter: FilterOf<'/api-keys'> = {}) =>
  listQuery(['ws', workspaceId, 'api-keys', filter], workspaceId, get('/api-keys', { query: filter }));

export const apiKeyQuery = (workspaceId: string, id: string) =>
  readQuery(['ws', workspaceId, 'api-key', id], workspaceId, get('/api-keys/{id}', { path: { id } }));

/** Gets the keys whose name contains a text, as options of a filter. */
export const apiKeyOptionsQuery = (workspaceId: string, search: string) => ({
  queryKey: ['ws', workspaceId, 'api-key-options', search],
  queryFn: async ({ signal }: { signal: AbortSignal }) => {
    const query = { limit: MAX_OPTIONS, ...(search !== '' && { search }) };
    const { data } = await send(workspaceId, get('/api-keys', { query }), { signal });
    return data.map(({ id, name }) => ({ value: id, label: name }));
  },
});

export const apiKeyNameQuery = (workspaceId: string, id: string) => ({
  queryKey: ['ws', workspaceId, 'api-key-name', id],
  queryFn: ({ signal }: { signal: AbortSignal }) =>
    send(workspaceId, get('/api-keys/{id}', { path: { id } }), { signal }).then(({ name }) => name),
});

/** Gets all scopes with what they allow, and the presets. */
export const scopesQuery = (workspaceId: string) =>
  readQuery(['ws', workspaceId, 'scopes'], workspaceId, get('/scopes'), {
    staleTime: Infinity,
  });

export const createApiKey = (body: NewApiKey) => post('/api-keys', { body });

export const updateApiKey = (id: string, body: ApiKeyChange) =>
  patch('/api-keys/{id}', { path: { id }, body });

/** @param overlapSeconds how long the old secret still works beside the new one */
export const rotateApiKey = (id: string, overlapSeconds: number) =>
  post('/api-keys/{id}/rotate', { path: { id }, body: { overlap_seconds: overlapSeconds } });

/** @param disableCreated whether to disable what the key created */
export const revokeApiKey = (id: string, disableCreated: boolean) =>
  post('/api-keys/{id}/revoke', { path: { id }, body: { disable_created: disableCreated } });
