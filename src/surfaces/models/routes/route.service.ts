/** Creates, reads, updates and deletes model routes. */
import { assertModelsAllowed } from '../../../core/auth/allowed-models.ts';
import type { WorkspaceActor } from '../../../core/auth/actor.ts';
import type { ReadUnit, Unit } from '../../../core/unit/unit-of-work.ts';
import type { Quotas } from '../../../core/workspaces/quota.ts';
import { timeOfUuid } from '../../../platform/db/uuid-time.ts';
import { assertMatches, type IfMatch, type WithVersion } from '../../../platform/http/etag.ts';
import { publicId } from '../../../core/vocabulary/ids.ts';
import { type List, type Page, toList } from '../../../platform/http/pagination.ts';
import { type FieldError, notFound, Problem } from '../../../platform/http/problem.ts';
import { findMissingModels, ROUTE_PREFIX } from '../catalog/catalog.store.ts';
import type { CreateModelRouteBody, ModelRouteObject, UpdateModelRouteBody } from './route.schema.ts';
import * as store from './route.store.ts';

export interface RouteDeps {
  quotas: Quotas;
}

const withVersion = (row: store.RouteRow): WithVersion<{ route: ModelRouteObject }> => ({
  route: {
    id: publicId('model_route', row.id),
    object: 'model_route',
    name: row.name,
    model: `${ROUTE_PREFIX}${row.name}`,
    attempts: row.attempts,
    on: row.fallback_on,
    metadata: row.metadata,
    created_by: row.created_by,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  },
  version: row.version,
});

/** Checks that each model exists and is not a route. @throws Problem unprocessable */
async function assertModels(
  unit: ReadUnit,
  workspaceId: string,
  attempts: CreateModelRouteBody['attempts'],
): Promise<void> {
  const missing = await findMissingModels(
    unit.db,
    workspaceId,
    attempts.map(({ model }) => model),
  );
  const errors = attempts.flatMap(({ model }, at): FieldError[] => {
    const pointer = `/attempts/${at}/model`;
    if (model.startsWith(ROUTE_PREFIX))
      return [{ pointer, code: 'route_not_allowed', detail: 'must not be a route' }];
    return missing.has(model)
      ? [{ pointer, code: 'model_not_found', detail: 'must be the ID of a model from GET /models' }]
      : [];
  });
  if (errors.length)
    throw new Problem(
      'unprocessable',
      errors.map(({ pointer, detail }) => `${pointer} ${detail}`).join('; '),
      {
        errors,
      },
    );
}

async function assertNameFree(unit: Unit, workspaceId: string, name: string): Promise<void> {
  await store.lockNames(unit.db, workspaceId);
  if (!(await store.isNameTaken(unit.db, workspaceId, name))) return;
  const detail = `Another model route has the name "${name}".`;
  throw new Problem('conflict', detail, {
    errors: [{ pointer: '/name', code: 'taken', detail: 'is taken' }],
  });
}

const toAttempts = (attempts: CreateModelRouteBody['attempts']): ModelRouteObject['attempts'] =>
  attempts.map(({ model, timeout_seconds = null }) => ({ model, timeout_seconds }));

/** Gets a route. @throws Problem not_found */
export async function getRoute(
  unit: ReadUnit,
  workspaceId: string,
  id: string,
): Promise<WithVersion<{ route: ModelRouteObject }>> {
  const row = await store.getRoute(unit.db, workspaceId, id);
  if (!row) throw notFound('model route');
  return withVersion(row);
}

export async function listRoutes(
  unit: ReadUnit,
  workspaceId: string,
  page: Page,
  filter: store.RouteFilter,
): Promise<List<ModelRouteObject>> {
  const rows = await store.listRoutes(unit.db, workspaceId, page, filter);
  return toList(
    rows,
    page,
    ({ id }) => id,
    (row) => withVersion(row).route,
  );
}

/** Checks that a key with `allowed_models` may call each model itself. @throws Problem model_not_allowed */
const assertAllowed = (actor: WorkspaceActor, attempts: CreateModelRouteBody['attempts']): void =>
  assertModelsAllowed(
    actor,
    attempts.map(({ model }, nth) => [`/attempts/${nth}/model`, model] as const),
  );

/** Creates a route. @throws Problem unprocessable, conflict, model_not_allowed, quota_exceeded */
export async function createRoute(
  unit: Unit,
  { quotas }: RouteDeps,
  actor: WorkspaceActor,
  body: CreateModelRouteBody,
): Promise<WithVersion<{ route: ModelRouteObject }>> {
  const { workspaceId } = actor;
  assertAllowed(actor, body.attempts);
  await assertModels(unit, workspaceId, body.attempts);
  await quotas.assert(unit, workspaceId, 'model_routes');
  await assertNameFree(unit, workspaceId, body.name);
  const id = unit.newUuid();
  // `created_at` is the time in the ID, because lists filter by ID.
  const now = timeOfUuid(id);
  const row = await store.insertRoute(unit.db, workspaceId, {
    id,
    name: body.name,
    attempts: toAttempts(body.attempts),
    fallback_on: body.on ?? [],
    metadata: body.metadata ?? {},
    created_by: actor.id,
    created_at: now,
    updated_at: now,
  });
  return withVersion(row);
}

async function lockRoute(
  unit: Unit,
  workspaceId: string,
  id: string,
  ifMatch: IfMatch,
): Promise<store.RouteRow> {
  const row = await store.lockRoute(unit.db, workspaceId, id);
  if (!row) throw notFound('model route');
  assertMatches(ifMatch, row, 'model route');
  return row;
}

/** Updates a route. @throws Problem not_found, precondition_failed, unprocessable, conflict, model_not_allowed */
export async function updateRoute(
  unit: Unit,
  actor: WorkspaceActor,
  id: string,
  body: UpdateModelRouteBody,
  ifMatch: IfMatch,
): Promise<WithVersion<{ route: ModelRouteObject }>> {
  const { workspaceId } = actor;
  const row = await lockRoute(unit, workspaceId, id, ifMatch);
  assertAllowed(actor, body.attempts ?? row.attempts);
  if (body.attempts) await assertModels(unit, workspaceId, body.attempts);
  if (body.name !== undefined && body.name !== row.name) await assertNameFree(unit, workspaceId, body.name);
  return withVersion(
    await store.updateRoute(unit.db, workspaceId, id, {
      ...(body.name === undefined ? {} : { name: body.name }),
      ...(body.attempts === undefined ? {} : { attempts: toAttempts(body.attempts) }),
      ...(body.on === undefined ? {} : { fallback_on: body.on }),
      ...(body.metadata === undefined ? {} : { metadata: body.metadata }),
      updated_at: unit.clock(),
    }),
  );
}

/** Deletes a route. @throws Problem not_found, precondition_failed */
export async function deleteRoute(
  unit: Unit,
  workspaceId: string,
  id: string,
  ifMatch: IfMatch,
): Promise<{ name: string }> {
  const { name } = await lockRoute(unit, workspaceId, id, ifMatch);
  await store.deleteRoute(unit.db, workspaceId, id);
  return { name };
}
