/** The row of one workspace. A deleted one does not exist for any of these. */
import { type Selectable, sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/database.ts';
import type { Workspaces } from '../../platform/db/tables.ts';

export type WorkspaceRow = Selectable<Workspaces>;

const existing = (db: Db, workspaceId: string) =>
  db.selectFrom('workspaces').selectAll().where('id', '=', workspaceId).where('deleted_at', 'is', null);

export function getWorkspace(db: Db, workspaceId: string): Promise<WorkspaceRow | undefined> {
  return existing(db, workspaceId).executeTakeFirst();
}

/**
 * Locks the row until the transaction ends. Every change of members or invitations takes this lock first, so that rules
 * over several rows (one owner remains, one pending invitation per address) hold, and no invitation is created in a
 * workspace that is being deleted.
 */
export function lockWorkspace(db: Tx, workspaceId: string): Promise<WorkspaceRow | undefined> {
  return existing(db, workspaceId).forUpdate().executeTakeFirst();
}

/** @returns the row, or undefined if the slug is taken; the transaction continues */
export function insertWorkspace(
  db: Db,
  workspaceId: string,
  row: { name: string; slug: string; metadata: object; created_at: Date },
): Promise<WorkspaceRow | undefined> {
  return db
    .insertInto('workspaces')
    .values({ id: workspaceId, ...row, metadata: JSON.stringify(row.metadata), updated_at: row.created_at })
    .onConflict((conflict) => conflict.column('slug').where('deleted_at', 'is', null).doNothing())
    .returningAll()
    .executeTakeFirst();
}

/** The row must be locked. A slug taken concurrently violates `workspaces_slug_key`. */
export function updateWorkspace(
  db: Db,
  workspaceId: string,
  changes: {
    name?: string;
    slug?: string;
    media_retention_days?: number | null;
    message_retention_days?: number | null;
    click_addresses?: boolean;
    time_zone?: string;
    store_model_calls?: boolean;
    metadata?: object;
  },
  now: Date,
): Promise<WorkspaceRow> {
  const { metadata, ...rest } = changes;
  return db
    .updateTable('workspaces')
    .set({
      ...rest,
      ...(metadata ? { metadata: JSON.stringify(metadata) } : {}),
      updated_at: now,
      version: sql`version + 1`,
    })
    .where('id', '=', workspaceId)
    .where('deleted_at', 'is', null)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Finds a time zone that the database knows, ignoring case. @returns its usual spelling */
export async function findTimeZone(db: Db, name: string): Promise<string | undefined> {
  const { rows } = await sql<{ name: string }>`
    select name from pg_timezone_names where lower(name) = lower(${name}) limit 1
  `.execute(db);
  return rows[0]?.name;
}

export async function markDeleted(db: Db, workspaceId: string, now: Date): Promise<void> {
  await db
    .updateTable('workspaces')
    .set({ deleted_at: now, updated_at: now })
    .where('id', '=', workspaceId)
    .execute();
}
