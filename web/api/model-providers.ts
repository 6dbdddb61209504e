/** Model providers of the workspace, and the models that they list. */
import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { apiFor, unwrap } from './client.ts';
import { ifMatch } from './edit.ts';
import { listQuery } from './list.ts';
import type { operations } from './schema.d.ts';
import type { ModelProvider } from './types.ts';

export type NewModelProvider =
  operations['model_providers.create']['requestBody']['content']['application/json'];
export type ModelProviderChange = NonNullable<
  operations['model_providers.update']['requestBody']
>['content']['application/json'];
export type ModelProviderFilter = Omit<
  NonNullable<operations['model_providers.list']['parameters']['query']>,
  'limit' | 'cursor'
>;

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
      unwrap(apiFor(workspaceId).GET('/api/v1/model-provider-kinds', { signal })).then((list) => list.data),
    staleTime: Infinity,
  });

export const modelProvidersQuery = (workspaceId: string, filter: ModelProviderFilter = {}) =>
  listQuery([...modelProvidersKey(workspaceId), 'list', filter], (page, signal) =>
    unwrap(
      apiFor(workspaceId).GET('/api/v1/model-providers', {
        params: { query: { ...page, ...filter } },
        signal,
      }),
    ),
  );

export const modelProviderQuery = (workspaceId: string, id: string) =>
  queryOptions({
    queryKey: [...modelProvidersKey(workspaceId), 'one', id],
    queryFn: ({ signal }) =>
      unwrap(apiFor(workspaceId).GET('/api/v1/model-providers/{id}', { params: { path: { id } }, signal })),
    refetchInterval: ({ state: { data } }) =>
      data?.listed_at === null && Date.now() - Date.parse(data.created_at) < NEW_MS ? UNLISTED_MS : false,
  });

/** The models of a provider, which are read again when the server has listed them anew. */
export const listedModelsQuery = (
  workspaceId: string,
  { id, listed_at: listedAt }: Pick<ModelProvider, 'id' | 'listed_at'>,
  search?: string,
) =>
  listQuery([...modelProvidersKey(workspaceId), 'models', id, { search, listedAt }], (page, signal) =>
    unwrap(
      apiFor(workspaceId).GET('/api/v1/model-providers/{id}/models', {
        params: { path: { id }, query: { ...page, ...(search && { search }) } },
        signal,
      }),
    ),
  );

/** The providers whose name contains a text, as options of a filter. */
export const modelProviderOptionsQuery = (workspaceId: string, search: string) => ({
  queryKey: [...modelProvidersKey(workspaceId), 'options', search],
  queryFn: async ({ signal }: { signal: AbortSignal }) => {
    const query = { limit: MAX_OPTIONS, ...(search !== '' && { search }) };
    const { data } = await unwrap(
      apiFor(workspaceId).GET('/api/v1/model-providers', { params: { query }, signal }),
    );
    return data.map(({ id, name }) => ({ value: id, label: name }));
  },
});

export const modelProviderNameQuery = (workspaceId: string, id: string) => ({
  queryKey: [...modelProvidersKey(workspaceId), 'name', id],
  queryFn: ({ signal }: { signal: AbortSignal }) =>
    unwrap(
      apiFor(workspaceId).GET('/api/v1/model-providers/{id}', { params: { path: { id } }, signal }),
    ).then(({ name }) => name),
});

export const createModelProvider = (workspaceId: string, body: NewModelProvider): Promise<ModelProvider> =>
  unwrap(apiFor(workspaceId).POST('/api/v1/model-providers', { body }));

/** @param version the ETag that was read; null overwrites whatever there is */
export const updateModelProvider = (
  workspaceId: string,
  id: string,
  body: ModelProviderChange,
  version: string | null = null,
): Promise<ModelProvider> =>
  unwrap(
    apiFor(workspaceId).PATCH('/api/v1/model-providers/{id}', {
      params: { path: { id }, ...ifMatch(version) },
      body,
    }),
  );

export const deleteModelProvider = (workspaceId: string, id: string) =>
  unwrap(apiFor(workspaceId).DELETE('/api/v1/model-providers/{id}', { params: { path: { id } } }));

/** Reads the models of the provider now. */
export const refreshModelProvider = (workspaceId: string, id: string): Promise<ModelProvider> =>
  unwrap(apiFor(workspaceId).POST('/api/v1/model-providers/{id}/refresh', { params: { path: { id } } }));

/** Tests a provider that is not saved. */
export const checkModelProvider = (workspaceId: string, body: NewModelProvider) =>
  unwrap(apiFor(workspaceId).POST('/api/v1/model-providers/check', { body }));

/** Lists the models of the provider and calls one. */
export const testModelProvider = (workspaceId: string, id: string) =>
  unwrap(
    apiFor(workspaceId).POST('/api/v1/model-providers/{id}/test', { params: { path: { id } }, body: {} }),
  );
