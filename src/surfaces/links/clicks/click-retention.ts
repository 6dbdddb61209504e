/** Retention of clicks in daily partitions. Roll-ups and counters are kept as long as their link. */
import type { PartitionedTable } from '../../../platform/db/partitions.ts';

/**
 * Days for which visitors are remembered, besides today. Clicks of earlier days that arrive late (the database or a
 * node was down) may count a visitor twice.
 */
const VISITORS_KEPT_DAYS = 3;

/** Returns the retention of the click tables for the partition manager. */
export const clickPartitions = (retentionDays: number): PartitionedTable[] => [
  { name: 'clicks', keepDays: retentionDays },
  { name: 'link_visitors', keepDays: VISITORS_KEPT_DAYS },
];
