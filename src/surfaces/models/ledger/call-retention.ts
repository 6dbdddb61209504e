/** Retention of model calls: single calls for 90 days, prompts and responses for 7, daily totals for 400. */
import { deleteBefore, inBatches } from '../../../platform/db/batches.ts';
import type { Database } from '../../../platform/db/database.ts';
import { DAY_MS, type PartitionedTable } from '../../../platform/db/partitions.ts';

const CALLS_KEPT_DAYS = 90;
export const USAGE_KEPT_DAYS = 400;
const CONTENTS_KEPT_DAYS = 7;
const BATCH = 2_000;

export const modelCallPartitions: PartitionedTable[] = [
  { name: 'model_calls', keepDays: CALLS_KEPT_DAYS },
  { name: 'model_call_contents', keepDays: CONTENTS_KEPT_DAYS },
];

/** Deletes daily totals older than 400 days. */
export async function deleteOldUsage(db: Database, now: Date, signal?: AbortSignal): Promise<void> {
  const before = new Date(now.getTime() - USAGE_KEPT_DAYS * DAY_MS);
  await inBatches(BATCH, (max) => deleteBefore(db, 'model_call_stats', 'day', before, max), signal);
}
