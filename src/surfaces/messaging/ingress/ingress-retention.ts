/** Deletes stored parts of requests that no connection has read. */
import { inBatches } from '../../../platform/db/batches.ts';
import type { Database } from '../../../platform/db/database.ts';
import { DAY } from '../../../platform/time/zone.ts';
import { deleteOldParts } from './ingress.system-store.ts';

/** Days for which the parts of an instance that is not connected are kept. */
const UNREAD_KEPT_DAYS = 7;
const BATCH = 2_000;

export async function deleteUnreadParts(db: Database, now: Date, signal?: AbortSignal): Promise<void> {
  const before = new Date(now.getTime() - UNREAD_KEPT_DAYS * DAY);
  await inBatches(BATCH, (max) => deleteOldParts(db, before, max), signal);
}
