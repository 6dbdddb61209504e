import { sql } from 'kysely';
import { deleteBefore, inBatches } from '../../../platform/db/batches.ts';
import type { Db } from '../../../platform/db/database.ts';

const KEPT_MS = 365 * 24 * 3_600_000;
const BATCH = 10_000;

/** Says that all of a journal is loaded and its files go. How far it was loaded is kept: a copy of it may turn up. */
export async function recordEnd(db: Db, journalId: string, now: Date): Promise<void> {
  await db.updateTable('journals').set({ ended_at: now }).where('journal_id', '=', journalId).execute();
}

/** Forgets journals that ended a year ago. Scheduled. @returns how many */
export const deleteEndedJournals = (db: Db, now: Date, signal?: AbortSignal): Promise<number> =>
  inBatches(
    BATCH,
    (limit) => deleteBefore(db, 'journals', 'ended_at', new Date(now.getTime() - KEPT_MS), limit),
    signal,
  );

/**
 * What a database is called, whatever way leads to it: the same after a restart or on a standby that took over, another
 * one for a copy of its rows.
 */
export async function identityOf(db: Db): Promise<string> {
  const { rows } = await sql<{ identity: string }>`
    select concat(system_identifier, ' ', (select oid from pg_database where datname = current_database())) as identity
    from pg_control_system()
  `.execute(db);
  return rows[0]!.identity;
}

/** Those of the journals that the database knows. */
export async function journalsAmong(db: Db, ids: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    select journal_id as id from journals where journal_id = any(${ids}::uuid[])
  `.execute(db);
  return new Set(rows.map(({ id }) => id));
}
