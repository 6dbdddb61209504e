/** Deletes unprocessed updates that are old. */
import { inBatches } from '../../../platform/db/batches.ts';
import type { Database } from '../../../platform/db/database.ts';
import { deleteExpiredUpdates } from './unprocessed-update.system-store.ts';

const KEPT_DAYS = 30;
const BATCH = 2_000;

export async function deleteOldUpdates(db: Database, now: Date, signal?: AbortSignal): Promise<void> {
  await inBatches(BATCH, (max) => deleteExpiredUpdates(db, now, KEPT_DAYS, max), signal);
}
