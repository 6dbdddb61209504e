/** How long what is kept of clicks is kept: day partitions. Roll-ups and counters stay as long as their link. */
import type { PartitionedTable } from '../../../platform/db/partitions.ts';

/**
 * Days that visitors are remembered by, beside today. Clicks of an older day that come late (a database that was away,
 * a node that was off) may count a visitor once more.
 */
const VISITORS_KEPT_DAYS = 3;

/** What the partition keeper keeps for clicks. */
export const clickPartitions = (keptDays: number): PartitionedTable[] => [
  { name: 'clicks', keepDays: keptDays },
  { name: 'link_visitors', keepDays: VISITORS_KEPT_DAYS },
];
