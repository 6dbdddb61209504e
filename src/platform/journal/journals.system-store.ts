/** Rows of journals: how far each is loaded, and its end. Identifies databases. */
import { sql } from 'kysely';
import { deleteBefore, inBatches } from '../db/batches.ts';
import type { Db, Tx } from '../db/database.ts';

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

export interface JournalPosition {
  segment: number;
  position: number;
}

/** Creates the row of a journal if it is missing. @returns the position up to which it is loaded */
export async function openJournal(db: Db, journalId: string): Promise<JournalPosition> {
  await sql`insert into journals (journal_id) values (${journalId}) on conflict do nothing`.execute(db);
  const { rows } = await sql<JournalPosition>`
    select segment, position from journals where journal_id = ${journalId}
  `.execute(db);
  return rows[0]!;
}

/**
 * Locks the row of a journal until the commit. @returns null if it does not exist or is locked by another process
 * Also forces index plans for the transaction: statistics lag behind tables that grow by thousands of rows a second.
 */
export async function lockJournal(tx: Tx, journalId: string): Promise<JournalPosition | null> {
  const { rows } = await sql<JournalPosition>`
    select segment, position, set_config('enable_seqscan', 'off', true), set_config('enable_hashjoin', 'off', true),
      set_config('enable_mergejoin', 'off', true), set_config('jit', 'off', true)
    from journals where journal_id = ${journalId} for update skip locked
  `.execute(tx);
  return rows[0] ?? null;
}

export async function saveJournal(
  tx: Tx,
  journalId: string,
  { segment, position }: JournalPosition,
): Promise<void> {
  await sql`
    update journals set segment = ${segment}, position = ${position}, updated_at = now(), ended_at = null
    where journal_id = ${journalId}
  `.execute(tx);
}

/** Lists all journals that are partly loaded and not ended. */
export async function listJournals(db: Db): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select journal_id as id from journals where ended_at is null order by 1
  `.execute(db);
  return rows.map(({ id }) => id);
}

/** Waits until no transaction holds the journal's row that holds it now. */
export async function waitForLoader(db: Db, journalId: string): Promise<void> {
  await sql`select from journals where journal_id = ${journalId} for share`.execute(db);
}
