/** Retention of the hourly counts of requests and messages. */
import { deleteBefore, inBatches } from '../../platform/db/batches.ts';
import type { Database } from '../../platform/db/database.ts';
import { DAY_MS } from '../../platform/db/partitions.ts';
import { STATS_KEPT_DAYS } from '../api/stats-range.ts';

const BATCH = 2_000;

/** Deletes hourly counts older than 31 days. */
export async function deleteOldActivity(db: Database, now: Date, signal?: AbortSignal): Promise<void> {
  const before = new Date(now.getTime() - STATS_KEPT_DAYS * DAY_MS);
  for (const table of ['request_stats', 'message_stats', 'instance_stats'])
    await inBatches(BATCH, (max) => deleteBefore(db, table, 'hour', before, max), signal);
}
