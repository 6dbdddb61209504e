/** Stores the end of journals, and identifies databases. */
import { sql } from 'kysely';
import { deleteBefore, inBatches } from '../../../platform/db/batches.ts';
import type { Db } from '../../../platform/db/database.ts';

const KEPT_MS = 365 * 24 * 3_600_000;
const BATCH = 10_000;

/** Records that a journal is fully loaded and its files are removed. Its position is kept in case a copy turns up. */
export async function recordEnd(db: Db, journalId: string, now: Date): Promise<void> {
  await db.updateTable('journals').set({ ended_at: now }).where('journal_id', '=', journalId).execute();
}

/** Deletes the rows of journals that ended a year ago. Run on a schedule. @returns the number of deleted rows */
export const deleteEndedJournals = (db: Db, now: Date, signal?: AbortSignal): Promise<number> =>
  inBatches(
    BATCH,
    (limit) => deleteBefore(db, 'journals', 'ended_at', new Date(now.getTime() - KEPT_MS), limit),
    signal,
  );

/**
 * Returns the identity of a database, however it is reached. It stays the same after a restart or a failover to a
 * standby; a copy of the data has another identity.
 */
export async function getDatabaseIdentity(db: Db): Promise<string> {
  const { rows } = await sql<{ identity: string }>`
    select concat(system_identifier, ' ', (select oid from pg_database where datname = current_database())) as identity
    from pg_control_system()
  `.execute(db);
  return rows[0]!.identity;
}

/** Returns the journals that have a row in the database. */
export async function findKnownJournals(db: Db, ids: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    select journal_id as id from journals where journal_id = any(${ids}::uuid[])
  `.execute(db);
  return new Set(rows.map(({ id }) => id));
}
