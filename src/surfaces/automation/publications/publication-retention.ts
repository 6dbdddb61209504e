/** What is over by time alone. Scheduled each hour; may be stopped at any point. */
import { deleteBefore, inBatches } from '../../../platform/db/batches.ts';
import type { Database } from '../../../platform/db/database.ts';
import * as store from './retention.system-store.ts';

const BATCH = 1_000;
const LOOKED_AT = 5_000;
const DAY_MS = 24 * 3_600_000;
/** After they came to an end. */
const PUBLICATIONS_KEPT_DAYS = 30;

const daysBefore = (now: Date, days: number): Date => new Date(now.getTime() - days * DAY_MS);

/** Publications that ended 30 days ago, with what came and what became of it. @returns how many */
export const deleteOldPublications = (db: Database, now: Date, signal?: AbortSignal): Promise<number> =>
  inBatches(
    BATCH,
    (max) => store.deletePublications(db, daysBefore(now, PUBLICATIONS_KEPT_DAYS), max),
    signal,
  );

/** Keys that count no more. @returns how many */
export const deleteOldKeys = (db: Database, now: Date, signal?: AbortSignal): Promise<number> =>
  inBatches(BATCH, (max) => deleteBefore(db, 'publication_keys', 'expires_at', now, max), signal);

/**
 * Looks again at what is under way for a day: messages end by themselves before that, or were deleted, of which nobody is
 * told.
 */
export async function scheduleScan(
  db: Database,
  now: Date,
  signal?: AbortSignal,
  batch = LOOKED_AT,
): Promise<void> {
  let cursor: store.RetentionCursor | null = null;
  do cursor = await store.askAgain(db, daysBefore(now, 1), cursor, batch);
  while (cursor && !signal?.aborted);
}
