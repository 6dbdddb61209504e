/** Model routes: models of one's own, each an ordered list of models to try. */
import { type QueryClient } from '@tanstack/react-query';
import { readQuery } from './read.ts';
import { get, send, post, patch, del, type BodyOf } from './call.ts';
import { listQuery } from './list.ts';

export type NewModelRoute = BodyOf<'post', '/model-routes'>;
export type ModelRouteChange = BodyOf<'patch', '/model-routes/{id}'>;

const MAX_OPTIONS = 20;

const modelRoutesKey = (workspaceId: string) => ['ws', workspaceId, 'model-routes'] as const;

/** Reads routes again, and the models that can be called. */
export const refreshModelRoutes = (client: QueryClient, workspaceId: string): Promise<unknown> =>
  Promise.all([
    client.invalidateQueries({ queryKey: modelRoutesKey(workspaceId) }),
    client.invalidateQueries({ queryKey: ['ws', workspaceId, 'models'] }),
  ]);

export const modelRoutesQuery = (workspaceId: string, search?: string) =>
  listQuery(
    [...modelRoutesKey(workspaceId), 'list', search],
    workspaceId,
    get('/model-routes', { query: { search } }),
  );

export const modelRouteQuery = (workspaceId: string, id: string) =>
  readQuery(
    [...modelRoutesKey(workspaceId), 'one', id],
    workspaceId,
    get('/model-routes/{id}', { path: { id } }),
  );

/** Gets the routes whose name contains a text, as options of a filter by name. */
export const modelRouteOptionsQuery = (workspaceId: string, search: string) => ({
  queryKey: [...modelRoutesKey(workspaceId), 'options', search],
  queryFn: async ({ signal }: { signal: AbortSignal }) => {
    const query = { limit: MAX_OPTIONS, ...(search !== '' && { search }) };
    const { data } = await send(workspaceId, get('/model-routes', { query }), { signal });
    return data.map(({ name }) => ({ value: name, label: name }));
  },
});

export const createModelRoute = (body: NewModelRoute) => post('/model-routes', { body });

export const updateModelRoute = (id: string, body: ModelRouteChange) =>
  patch('/model-routes/{id}', { path: { id }, body });

export const deleteModelRoute = (id: string) => del('/model-routes/{id}', { path: { id } });
