/**
 * Deletes the data of a workspace, table by table. The tables are read from the catalog (all with a column
 * `workspace_id`), so that tables added later are included.
 */
import { sql } from 'kysely';
import type { Database, Db } from '../../platform/db/database.ts';

/** Tables with rows of workspaces, as quoted names; a partitioned table represents its partitions. */
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
 * Deletes up to `limit` rows of a workspace in a separate transaction.
 * @param table one of `tenantTables`
 * @returns number of rows found; a concurrently changed or moved row may still exist
 */
export async function deleteBatch(
  db: Database,
  table: string,
  workspaceId: string,
  limit: number,
): Promise<number> {
  const name = sql.raw(table);
  const { rows } = await sql<{ seen: number }>`
    with page as materialized (
      select ctid as row_id from ${name} where workspace_id = ${workspaceId} limit ${limit}
    ), gone as (
      delete from ${name} where workspace_id = ${workspaceId} and ctid = any (array (select row_id from page))
    )
    select count(*)::int as seen from page
  `.execute(db);
  return rows[0]!.seen;
}

/** Whether any of these tables has a row of a workspace. One moment for all: a row that moves is in one of them. */
export async function hasRows(
  db: Database,
  tables: readonly string[],
  workspaceId: string,
): Promise<boolean> {
  const each = tables.map(
    (table) => sql`exists (select from ${sql.raw(table)} where workspace_id = ${workspaceId})`,
  );
  const { rows } = await sql<{ found: boolean }>`select ${sql.join(each, sql` or `)} as found`.execute(db);
  return rows[0]!.found;
}

/** Returns the current time of the database as text, because a `Date` has no microseconds. */
export async function databaseNow(db: Database): Promise<string> {
  const { rows } = await sql<{ now: string }>`select clock_timestamp()::text as now`.execute(db);
  return rows[0]!.now;
}

/** Work that writes no row of a workspace: erasing others, and posting mails. */
const WRITES_NONE = ['workspaces.erase', 'workspaces.erase-deleted', 'mail.send'];

/**
 * Whether anything that began before a time may still write rows of a workspace: a transaction, one of its jobs, or
 * scheduled work, which is of all workspaces.
 */
export async function isUnderWay(db: Database, workspaceId: string, before: string): Promise<boolean> {
  // Transactions first: one of these may be a job's beginning, which is seen once it has committed. A vacuum writes no
  // row, and of large tables one or another is nearly always under way.
  const transactions = await sql`
    select from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and xact_start <= ${before}::timestamptz
      and backend_type is distinct from 'autovacuum worker' limit 1
  `.execute(db);
  if (transactions.rows.length) return true;
  const jobs = await sql`
    select from pgboss.job
    where state = 'active' and started_on <= ${before}::timestamptz and name <> all (${WRITES_NONE}::text[])
      and coalesce(data ->> 'workspaceId', ${workspaceId}) = ${workspaceId} limit 1
  `.execute(db);
  return jobs.rows.length > 0;
}

/** Deletes from the one table that refers to a workspace only through its keys and publishing endpoints. */
export async function deleteRateBuckets(db: Database, workspaceId: string): Promise<void> {
  await sql`
    delete from rate_buckets where key_id in (
      select id from api_keys where workspace_id = ${workspaceId}
      union all select id from publishing_endpoints where workspace_id = ${workspaceId}
    )
  `.execute(db);
}

/** Returns the time of deletion: null if it is not deleted, undefined if the row no longer exists. */
export async function deletedAt(db: Database, workspaceId: string): Promise<Date | null | undefined> {
  const row = await db
    .selectFrom('workspaces')
    .select('deleted_at')
    .where('id', '=', workspaceId)
    .executeTakeFirst();
  return row?.deleted_at;
}

export async function deleteWorkspaceRow(db: Db, workspaceId: string): Promise<void> {
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
