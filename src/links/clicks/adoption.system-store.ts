import { deleteBefore, inBatches } from '../../db/batches.ts';
import type { Queryable } from '../../db/database.ts';

const KEPT_MS = 365 * 24 * 3_600_000;
const BATCH = 10_000;

/** Says that all of a journal is loaded and its files go. How far it was loaded is kept: a copy of it may turn up. */
export async function noteEnd(db: Queryable, journalId: string, now: Date): Promise<void> {
  await db.updateTable('journals').set({ ended_at: now }).where('journal_id', '=', journalId).execute();
}

/** Forgets journals that ended a year ago. Scheduled. @returns how many */
export const deleteEndedJournals = (db: Queryable, now: Date, signal?: AbortSignal): Promise<number> =>
  inBatches(
    BATCH,
    (most) => deleteBefore(db, 'journals', 'ended_at', new Date(now.getTime() - KEPT_MS), most),
    signal,
  );
