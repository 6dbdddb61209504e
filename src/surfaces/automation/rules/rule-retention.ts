/** How long the log of runs is kept, and what rules are known to have made. */
import { deleteBefore, inBatches } from '../../../platform/db/batches.ts';
import type { Database } from '../../../platform/db/database.ts';
import { DAY_MS, type PartitionedTable } from '../../../platform/db/partitions.ts';
import { EVENTS_KEPT_DAYS } from '../../../core/events/event-retention.ts';

const CAUSED_KEPT_DAYS = 7;
const BATCH = 2_000;

/** What the partition keeper keeps for rules: runs, as long as their events. */
export const rulePartitions: PartitionedTable[] = [
  // Runs of more than one step are updated within seconds.
  { name: 'rule_runs', keepDays: EVENTS_KEPT_DAYS, fillFactor: 80 },
];

/** After a week what is told of a message or a link is taken to be no rule's doing any more. @returns how many */
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
