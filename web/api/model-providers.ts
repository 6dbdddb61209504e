/** Model providers of the workspace, and the models that they list. */
import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { readQuery } from './read.ts';
import { get, send, post, patch, del, type BodyOf, type FilterOf } from './call.ts';
import { listQuery } from './list.ts';
import type { ModelProvider } from './types.ts';

export type NewModelProvider = BodyOf<'post', '/model-providers'>;
export type ModelProviderChange = BodyOf<'patch', '/model-providers/{id}'>;
export type ModelProviderFilter = FilterOf<'/model-providers'>;

const MAX_OPTIONS = 20;
/** How often a new provider is read again until its models are listed, and for how long. */
const UNLISTED_MS = 2_000;
const NEW_MS = 60_000;

export const modelProvidersKey = (workspaceId: string) => ['ws', workspaceId, 'model-providers'] as const;

/** Reads providers again, and the models that can be called. */
export const refreshModelProviders = (client: QueryClient, workspaceId: string): Promise<unknown> =>
  Promise.all([
    client.invalidateQueries({ queryKey: modelProvidersKey(workspaceId) }),
    client.invalidateQueries({ queryKey: ['ws', workspaceId, 'models'] }),
  ]);

export const modelProviderKindsQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['ws', workspaceId, 'model-provider-kinds'],
    queryFn: ({ signal }) =>
      send(workspaceId, get('/model-provider-kinds'), { signal }).then((list) => list.data),
    staleTime: Infinity,
  });

export const modelProvidersQuery = (workspaceId: string, filter: ModelProviderFilter = {}) =>
  listQuery(
    [...modelProvidersKey(workspaceId), 'list', filter],
    workspaceId,
    get('/model-providers', { query: filter }),
  );

export const modelProviderQuery = (workspaceId: string, id: string) =>
  readQuery(
    [...modelProvidersKey(workspaceId), 'one', id],
    workspaceId,
    get('/model-providers/{id}', { path: { id } }),
    {
      refetchInterval: ({ state: { data } }) =>
        data?.listed_at === null && Date.now() - Date.parse(data.created_at) < NEW_MS ? UNLISTED_MS : false,
    },
  );

/** Gets the models of a provider. They are read again once the server has updated its list. */
export const listedModelsQuery = (
  workspaceId: string,
  { id, listed_at: listedAt }: Pick<ModelProvider, 'id' | 'listed_at'>,
  search?: string,
) =>
  listQuery(
    [...modelProvidersKey(workspaceId), 'models', id, { search, listedAt }],
    workspaceId,
    get('/model-providers/{id}/models', { path: { id }, query: { search } }),
  );

/** Gets the providers whose name contains a text, as options of a filter. */
export const modelProviderOptionsQuery = (workspaceId: string, search: string) => ({
  queryKey: [...modelProvidersKey(workspaceId), 'options', search],
  queryFn: async ({ signal }: { signal: AbortSignal }) => {
    const query = { limit: MAX_OPTIONS, ...(search !== '' && { search }) };
    const { data } = await send(workspaceId, get('/model-providers', { query }), { signal });
    return data.map(({ id, name }) => ({ value: id, label: name }));
  },
});

export const modelProviderNameQuery = (workspaceId: string, id: string) => ({
  queryKey: [...modelProvidersKey(workspaceId), 'name', id],
  queryFn: ({ signal }: { signal: AbortSignal }) =>
    send(workspaceId, get('/model-providers/{id}', { path: { id } }), { signal }).then(({ name }) => name),
});

export const createModelProvider = (body: NewModelProvider) => post('/model-providers', { body });

export const updateModelProvider = (id: string, body: ModelProviderChange) =>
  patch('/model-providers/{id}', { path: { id }, body });

export const deleteModelProvider = (id: string) => del('/model-providers/{id}', { path: { id } });

/** Reads the models of the provider now. */
export const refreshModelProvider = (id: string) => post('/model-providers/{id}/refresh', { path: { id } });

/** Tests a provider that is not saved. */
export const checkModelProvider = (body: NewModelProvider) => post('/model-providers/check', { body });

/** Lists the models of the provider and calls one. */
export const testModelProvider = (id: string) =>
  post('/model-providers/{id}/test', { path: { id }, body: {} });
