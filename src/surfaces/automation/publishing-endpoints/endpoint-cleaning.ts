/** Deletes tokens and secrets whose rotation overlap has expired. They are no longer accepted by then. */
import { inBatches } from '../../../platform/db/batches.ts';
import type { Database } from '../../../platform/db/database.ts';
import { deleteExpiredTokens, deletePreviousSecrets } from './endpoint.system-store.ts';

const BATCH = 1_000;

export async function deleteRotatedSecrets(db: Database, now: Date, signal?: AbortSignal): Promise<void> {
  await inBatches(BATCH, (max) => deleteExpiredTokens(db, now, max), signal);
  await inBatches(BATCH, (max) => deletePreviousSecrets(db, now, max), signal);
}
