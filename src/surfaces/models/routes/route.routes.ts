/** Operations on model routes. */
import { type Operation, operation } from '../../../core/api/operation.ts';
import { requireUuid } from '../../../core/vocabulary/ids.ts';
import { getPage } from '../../../platform/http/pagination.ts';
import { IdParams } from '../../../core/api/id-schema.ts';
import { toListSchema } from '../../../platform/http/schema.ts';
import { CreateModelRoute, ModelRoute, ModelRouteList, UpdateModelRoute } from './route.schema.ts';
import * as service from './route.service.ts';

export interface RouteOperationDeps extends service.RouteDeps {
  /** Called after a commit that changes the models that calls can use. */
  catalogChanged: (workspaceId: string) => void;
}

export const routeOperations = (deps: RouteOperationDeps): Operation[] => [
  operation(
    {
      id: 'model_routes.create',
      method: 'POST',
      path: '/model-routes',
      tag: 'Model routes',
      summary: 'Create a model route',
      description:
        'A route is your own model ID, `route/{name}`, for up to five models that are tried in order. Every attempt is recorded in the usage.',
      access: 'models:write',
      body: CreateModelRoute,
      bodyExample: { name: 'default', attempts: [{ model: 'fairlead/echo', timeout_seconds: 20 }] },
      success: { status: 201, description: 'The model route.', schema: ModelRoute },
      errors: ['conflict', 'unprocessable', 'model_not_allowed', 'quota_exceeded'],
      audit: 'model_route',
    },
    async ({ actor, body, unit }) => {
      unit.afterCommit(() => deps.catalogChanged(actor.workspaceId));
      const { route, version } = await service.createRoute(unit, deps, actor, body);
      return { body: route, version, created: true, auditDetails: { name: route.name } };
    },
  ),
  operation(
    {
      id: 'model_routes.list',
      method: 'GET',
      path: '/model-routes',
      tag: 'Model routes',
      summary: 'List model routes',
      access: 'models:read',
      query: ModelRouteList,
      success: {
        status: 200,
        description: 'A page of model routes, newest first.',
        schema: toListSchema(ModelRoute),
      },
    },
    async ({ actor, query, unit }) => ({
      body: await service.listRoutes(unit, actor.workspaceId, getPage(query), {
        search: query.search,
        createdAfter: query.created_after,
        createdBefore: query.created_before,
      }),
    }),
  ),
  operation(
    {
      id: 'model_routes.get',
      method: 'GET',
      path: '/model-routes/{id}',
      tag: 'Model routes',
      summary: 'Get a model route',
      access: 'models:read',
      params: IdParams('model_route'),
      success: { status: 200, description: 'The model route.', schema: ModelRoute },
    },
    async ({ actor, params, unit }) => {
      const id = requireUuid('model_route', params.id);
      const { route, version } = await service.getRoute(unit, actor.workspaceId, id);
      return { body: route, version };
    },
  ),
  operation(
    {
      id: 'model_routes.update',
      method: 'PATCH',
      path: '/model-routes/{id}',
      tag: 'Model routes',
      summary: 'Update a model route',
      description:
        'Omitted fields stay unchanged. `attempts` replaces all attempts. Takes effect within half a second.',
      access: 'models:write',
      params: IdParams('model_route'),
      body: UpdateModelRoute,
      bodyExample: { attempts: [{ model: 'fairlead/echo' }] },
      success: { status: 200, description: 'The updated model route.', schema: ModelRoute },
      errors: ['conflict', 'unprocessable', 'model_not_allowed'],
      audit: 'model_route',
    },
    async ({ actor, params, body, unit, ifMatch }) => {
      const id = requireUuid('model_route', params.id);
      unit.afterCommit(() => deps.catalogChanged(actor.workspaceId));
      const { route, version } = await service.updateRoute(unit, actor, id, body, ifMatch);
      return { body: route, version, auditDetails: { changed: Object.keys(body) } };
    },
  ),
  operation(
    {
      id: 'model_routes.delete',
      method: 'DELETE',
      path: '/model-routes/{id}',
      tag: 'Model routes',
      summary: 'Delete a model route',
      description: 'Calls to its ID are rejected with `model_not_found`.',
      access: 'models:write',
      params: IdParams('model_route'),
      success: { status: 204, description: 'Deleted.' },
      audit: 'model_route',
    },
    async ({ actor, params, unit, ifMatch }) => {
      const id = requireUuid('model_route', params.id);
      unit.afterCommit(() => deps.catalogChanged(actor.workspaceId));
      const { name } = await service.deleteRoute(unit, actor.workspaceId, id, ifMatch);
      return { body: undefined, auditDetails: { name } };
    },
  ),
];
