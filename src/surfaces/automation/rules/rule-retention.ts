/** Retention of runs and of caused resources. */
import { deleteBefore, inBatches } from '../../../platform/db/batches.ts';
import type { Database } from '../../../platform/db/database.ts';
import { DAY_MS, type PartitionedTable } from '../../../platform/db/partitions.ts';
import { EVENTS_KEPT_DAYS } from '../../../core/events/event-retention.ts';

const CAUSED_KEPT_DAYS = 7;
const BATCH = 2_000;

/** Partitioned tables of rules: runs are kept as long as their events. */
export const rulePartitions: PartitionedTable[] = [
  // Runs with several steps are updated within seconds.
  { name: 'rule_runs', keepDays: EVENTS_KEPT_DAYS, fillFactor: 80 },
];

/**
 * Deletes caused resources after a week; later events of a message or link no longer count as caused by the rule.
 * @returns the number deleted
 */
export const deleteOldCaused = (db: Database, now: Date, signal?: AbortSignal): Promise<number> =>
  inBatches(
    BATCH,
    (max) =>
      deleteBefore(
        db,
        'caused_resources',
        'created_at',
        new Date(now.getTime() - CAUSED_KEPT_DAYS * DAY_MS),
        max,
      ),
    signal,
  );
