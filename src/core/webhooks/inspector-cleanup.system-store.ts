/** What cleaning the requests that inspectors of any workspace recorded reads and writes. */
import { sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';

/** Marks the cleanup as enqueued. @returns false where there is none, or somebody else has enqueued it */
export async function claimCleanup(db: Db): Promise<boolean> {
  const { rows } = await sql`
    update inspector_cleanup set enqueued_at = now() where enqueued_at is null returning singleton
  `.execute(db);
  return rows.length > 0;
}

/** How many sessions the upgrade ended; null once all is clean. */
export async function sessionsEnded(db: Db): Promise<number | null> {
  const { rows } = await sql<{
    sessions_ended: number;
  }>`select sessions_ended from inspector_cleanup`.execute(db);
  return rows[0]?.sessions_ended ?? null;
}

export async function endCleanup(db: Db): Promise<void> {
  await sql`delete from inspector_cleanup`.execute(db);
}

export interface RecordedRow {
  workspace_id: string;
  inspector_id: string;
  number: number;
  id: string;
  path: string;
  head_sealed: string;
}

export type RecordedKey = Pick<RecordedRow, 'workspace_id' | 'inspector_id' | 'number'>;

/** Recorded requests after one, in the order of their key. */
export async function recordedAfter(db: Db, after: RecordedKey, limit: number): Promise<RecordedRow[]> {
  const { rows } = await sql<RecordedRow>`
    select workspace_id, inspector_id, number, id, path, head_sealed from inspector_requests
    where (workspace_id, inspector_id, number)
      > (${after.workspace_id}::uuid, ${after.inspector_id}::uuid, ${after.number}::bigint)
    order by workspace_id, inspector_id, number limit ${limit}
  `.execute(db);
  return rows;
}

export interface CleanedRow extends Pick<RecordedRow, 'workspace_id' | 'id' | 'path' | 'head_sealed'> {
  /** The head as it was read. */
  before: string;
}

/** Skips requests that were deleted or resealed since they were read. @returns number of updated requests */
export async function replaceHeads(db: Db, rows: readonly CleanedRow[]): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    update inspector_requests r
    set path = c.path, head_sealed = c.head, kept_bytes = octet_length(r.body) + length(c.head)
    from unnest(
      ${rows.map((row) => row.workspace_id)}::uuid[], ${rows.map((row) => row.id)}::uuid[],
      ${rows.map((row) => row.path)}::text[], ${rows.map((row) => row.head_sealed)}::text[],
      ${rows.map((row) => row.before)}::text[]
    ) c (workspace_id, id, path, head, before)
    where r.workspace_id = c.workspace_id and r.id = c.id and r.head_sealed = c.before
  `.execute(db);
  return Number(numAffectedRows);
}

/** Inspectors after one, in the order of their key. */
export async function inspectorsAfter(
  db: Db,
  after: { workspace_id: string; id: string },
  limit: number,
): Promise<{ workspace_id: string; id: string; token_sealed: string }[]> {
  const { rows } = await sql<{ workspace_id: string; id: string; token_sealed: string }>`
    select workspace_id, id, token_sealed from inspectors
    where (workspace_id, id) > (${after.workspace_id}::uuid, ${after.id}::uuid)
    order by workspace_id, id limit ${limit}
  `.execute(db);
  return rows;
}
