/** Model routes: models of one's own, each an ordered list of models to try. */
import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { apiFor, unwrap } from './client.ts';
import { ifMatch } from './edit.ts';
import { listQuery } from './list.ts';
import type { operations } from './schema.d.ts';
import type { ModelRoute } from './types.ts';

export type NewModelRoute = operations['model_routes.create']['requestBody']['content']['application/json'];
export type ModelRouteChange = NonNullable<
  operations['model_routes.update']['requestBody']
>['content']['application/json'];

const MAX_OPTIONS = 20;

const modelRoutesKey = (workspaceId: string) => ['ws', workspaceId, 'model-routes'] as const;

/** Reads routes again, and the models that can be called. */
export const refreshModelRoutes = (client: QueryClient, workspaceId: string): Promise<unknown> =>
  Promise.all([
    client.invalidateQueries({ queryKey: modelRoutesKey(workspaceId) }),
    client.invalidateQueries({ queryKey: ['ws', workspaceId, 'models'] }),
  ]);

export const modelRoutesQuery = (workspaceId: string, search?: string) =>
  listQuery([...modelRoutesKey(workspaceId), 'list', search], (page, signal) =>
    unwrap(
      apiFor(workspaceId).GET('/api/v1/model-routes', {
        params: { query: { ...page, ...(search && { search }) } },
        signal,
      }),
    ),
  );

export const modelRouteQuery = (workspaceId: string, id: string) =>
  queryOptions({
    queryKey: [...modelRoutesKey(workspaceId), 'one', id],
    queryFn: ({ signal }) =>
      unwrap(apiFor(workspaceId).GET('/api/v1/model-routes/{id}', { params: { path: { id } }, signal })),
  });

/** The routes whose name contains a text, as options of a filter by name. */
export const modelRouteOptionsQuery = (workspaceId: string, search: string) => ({
  queryKey: [...modelRoutesKey(workspaceId), 'options', search],
  queryFn: async ({ signal }: { signal: AbortSignal }) => {
    const query = { limit: MAX_OPTIONS, ...(search !== '' && { search }) };
    const { data } = await unwrap(
      apiFor(workspaceId).GET('/api/v1/model-routes', { params: { query }, signal }),
    );
    return data.map(({ name }) => ({ value: name, label: name }));
  },
});

export const createModelRoute = (workspaceId: string, body: NewModelRoute): Promise<ModelRoute> =>
  unwrap(apiFor(workspaceId).POST('/api/v1/model-routes', { body }));

/** @param version the ETag that was read; null overwrites whatever there is */
export const updateModelRoute = (
  workspaceId: string,
  id: string,
  body: ModelRouteChange,
  version: string | null,
): Promise<ModelRoute> =>
  unwrap(
    apiFor(workspaceId).PATCH('/api/v1/model-routes/{id}', {
      params: { path: { id }, ...ifMatch(version) },
      body,
    }),
  );

export const deleteModelRoute = (workspaceId: string, id: string) =>
  unwrap(apiFor(workspaceId).DELETE('/api/v1/model-routes/{id}', { params: { path: { id } } }));
