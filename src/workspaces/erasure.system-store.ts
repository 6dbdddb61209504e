/**
 * Deleting what a workspace left behind, table by table. The tables are found in the catalog (whatever has a column
 * `workspace_id`), so that a table added later is erased without being named here.
 */
import { sql } from 'kysely';
import type { Database, Queryable } from '../db/database.ts';

/** Tables that hold rows of workspaces, as quoted names; partitions stand for the table they are of. */
export async function tenantTables(db: Database): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select c.oid::regclass::text as name
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'workspace_id' and not a.attisdropped
    where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace
    order by name
  `.execute(db);
  return rows.map(({ name }) => name);
}

/**
 * Deletes up to `limit` rows of a workspace, in a transaction of its own.
 * @param table a name that `tenantTables` gave. @returns how many rows went.
 */
export async function deleteBatch(
  db: Database,
  table: string,
  workspaceId: string,
  limit: number,
): Promise<number> {
  const name = sql.raw(table);
  const { numAffectedRows = 0n } = await sql`
    delete from ${name} where workspace_id = ${workspaceId}
      and ctid = any (array (select ctid from ${name} where workspace_id = ${workspaceId} limit ${limit}))
  `.execute(db);
  return Number(numAffectedRows);
}

/** The one table of a workspace that names only what is counted: its keys and publishing endpoints. */
export async function deleteRateBuckets(db: Database, workspaceId: string): Promise<void> {
  await sql`
    delete from rate_buckets where key_id in (
      select id from api_keys where workspace_id = ${workspaceId}
      union all select id from publishing_endpoints where workspace_id = ${workspaceId}
    )
  `.execute(db);
}

/** When it was deleted: null while it was not, undefined when there is no such row any more. */
export async function deletedAt(db: Database, workspaceId: string): Promise<Date | null | undefined> {
  const row = await db
    .selectFrom('workspaces')
    .select('deleted_at')
    .where('id', '=', workspaceId)
    .executeTakeFirst();
  return row?.deleted_at;
}

export async function deleteWorkspaceRow(db: Queryable, workspaceId: string): Promise<void> {
  await db
    .deleteFrom('workspaces')
    .where('id', '=', workspaceId)
    .where('deleted_at', 'is not', null)
    .execute();
}

/** Workspaces that were deleted before a time and are not erased yet, oldest first. */
export async function workspacesToErase(db: Database, before: Date): Promise<string[]> {
  const rows = await db
    .selectFrom('workspaces')
    .select('id')
    .where('deleted_at', '<', before)
    .orderBy('deleted_at')
    .execute();
  return rows.map(({ id }) => id);
}
