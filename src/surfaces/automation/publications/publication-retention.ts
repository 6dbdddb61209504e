/** Time-based cleanup of publications. Runs hourly and can be aborted at any point. */
import { deleteBefore, inBatches } from '../../../platform/db/batches.ts';
import type { Database } from '../../../platform/db/database.ts';
import * as store from './retention.system-store.ts';

const BATCH = 1_000;
const LOOKED_AT = 5_000;
const DAY_MS = 24 * 3_600_000;
/** Counted from completion. */
const RETENTION_DAYS = 30;

const daysBefore = (now: Date, days: number): Date => new Date(now.getTime() - days * DAY_MS);

/**
 * Deletes publications that completed 30 days ago, with their input and results.
 * @returns the number deleted
 */
export const deleteOldPublications = (db: Database, now: Date, signal?: AbortSignal): Promise<number> =>
  inBatches(BATCH, (max) => store.deletePublications(db, daysBefore(now, RETENTION_DAYS), max), signal);

/**
 * Deletes expired dedupe keys.
 * @returns the number deleted
 */
export const deleteOldKeys = (db: Database, now: Date, signal?: AbortSignal): Promise<number> =>
  inBatches(BATCH, (max) => deleteBefore(db, 'publication_keys', 'expires_at', now, max), signal);

/**
 * Rechecks publications that are unfinished after a day. By then their messages have completed or were deleted, and a
 * deletion emits no update.
 */
export async function scheduleScan(
  db: Database,
  now: Date,
  signal?: AbortSignal,
  batch = LOOKED_AT,
): Promise<void> {
  let cursor: store.RetentionCursor | null = null;
  do cursor = await store.recheck(db, daysBefore(now, 1), cursor, batch);
  while (cursor && !signal?.aborted);
}
