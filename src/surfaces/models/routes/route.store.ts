/** Stores model routes. */
import { type Selectable, sql } from 'kysely';
import { likePattern } from '../../../platform/db/like-pattern.ts';
import type { Db, Tx } from '../../../platform/db/database.ts';
import type { ModelRoutes } from '../../../platform/db/tables.ts';
import { idRange } from '../../../platform/db/uuid-time.ts';
import type { Page } from '../../../platform/http/pagination.ts';
import type { ModelRouteObject } from './route.schema.ts';

export type RouteRow = Omit<Selectable<ModelRoutes>, 'attempts' | 'fallback_on' | 'metadata'> & {
  attempts: ModelRouteObject['attempts'];
  fallback_on: ModelRouteObject['on'];
  metadata: Record<string, string>;
};

export interface RouteFilter {
  search?: string;
  createdAfter?: string;
  createdBefore?: string;
}

/** Lists routes, newest first, with one row more than the page. */
export async function listRoutes(
  db: Db,
  workspaceId: string,
  page: Page,
  { search, ...created }: RouteFilter,
): Promise<RouteRow[]> {
  const { from, below } = idRange(page.after, created);
  const { rows } = await sql<RouteRow>`
    select * from model_routes
    where workspace_id = ${workspaceId} and id >= ${from} and id < ${below}
      and ${search === undefined ? sql`true` : sql`name ilike ${likePattern(search)}`}
    order by id desc limit ${page.limit + 1}
  `.execute(db);
  return rows;
}

async function selectRoute(
  db: Db,
  workspaceId: string,
  id: string,
  locking = sql``,
): Promise<RouteRow | undefined> {
  const { rows } = await sql<RouteRow>`
    select * from model_routes where workspace_id = ${workspaceId} and id = ${id} ${locking}
  `.execute(db);
  return rows[0];
}

export const getRoute = (db: Db, workspaceId: string, id: string): Promise<RouteRow | undefined> =>
  selectRoute(db, workspaceId, id);

/** Locks the row until the transaction ends. */
export const lockRoute = (db: Tx, workspaceId: string, id: string): Promise<RouteRow | undefined> =>
  selectRoute(db, workspaceId, id, sql`for update`);

/** Serializes changes of names in a workspace until the transaction ends. */
export async function lockNames(db: Tx, workspaceId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`model route names ${workspaceId}`}, 2))`.execute(
    db,
  );
}

export async function isNameTaken(db: Db, workspaceId: string, name: string): Promise<boolean> {
  const { rows } = await sql`
    select from model_routes where workspace_id = ${workspaceId} and name = ${name}
  `.execute(db);
  return rows.length > 0;
}

export type NewRoute = Omit<RouteRow, 'workspace_id' | 'version'>;

export async function insertRoute(
  db: Tx,
  workspaceId: string,
  { attempts, metadata, ...route }: NewRoute,
): Promise<RouteRow> {
  return (await db
    .insertInto('model_routes')
    .values({
      workspace_id: workspaceId,
      ...route,
      attempts: JSON.stringify(attempts),
      metadata: JSON.stringify(metadata),
    })
    .returningAll()
    .executeTakeFirstOrThrow()) as unknown as RouteRow;
}

/** Updates a route. The row must be locked. */
export async function updateRoute(
  db: Tx,
  workspaceId: string,
  id: string,
  {
    attempts,
    metadata,
    ...change
  }: Partial<Pick<RouteRow, 'name' | 'attempts' | 'fallback_on' | 'metadata'>> & { updated_at: Date },
): Promise<RouteRow> {
  return (await db
    .updateTable('model_routes')
    .set({
      ...change,
      ...(attempts ? { attempts: JSON.stringify(attempts) } : {}),
      ...(metadata ? { metadata: JSON.stringify(metadata) } : {}),
      version: sql<number>`version + 1`,
    })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()) as unknown as RouteRow;
}

export async function deleteRoute(db: Tx, workspaceId: string, id: string): Promise<void> {
  await db.deleteFrom('model_routes').where('workspace_id', '=', workspaceId).where('id', '=', id).execute();
}

/** Counts the routes of a workspace, for the quota. */
export async function countRoutes(db: Db, workspaceId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from model_routes where workspace_id = ${workspaceId}
  `.execute(db);
  return rows[0]!.count;
}
