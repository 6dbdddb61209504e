/** Deletes expired rows. Runs hourly; may be stopped at any point. */
import { deleteBefore, inBatches } from '../db/batches.ts';
import type { Database } from '../db/database.ts';
import * as store from './maintenance.system-store.ts';

const BATCH = 2_000;
const HOUR_MS = 3600 * 1000;
const IDEMPOTENCY_KEPT_MS = 24 * HOUR_MS;
/** An expired invitation is shown as such for so long. */
const INVITATIONS_KEPT_MS = 30 * 24 * HOUR_MS;

/** Answers kept for Idempotency-Key, older than 24 h. @returns how many */
export const deleteOldIdempotencyKeys = (db: Database, now: Date, signal?: AbortSignal): Promise<number> =>
  inBatches(
    BATCH,
    (max) =>
      deleteBefore(db, 'idempotency_keys', 'created_at', new Date(now.getTime() - IDEMPOTENCY_KEPT_MS), max),
    signal,
  );

/** Invitations that expired 30 days ago unaccepted. @returns how many */
export const deleteOldInvitations = (db: Database, now: Date, signal?: AbortSignal): Promise<number> =>
  inBatches(
    BATCH,
    (max) => store.deleteInvitations(db, new Date(now.getTime() - INVITATIONS_KEPT_MS), max),
    signal,
  );
