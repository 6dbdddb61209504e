/**
 * How long events are kept. Before any goes, its workspace's `expired_through` says so and is committed; whoever
 * reads the log looks at it after reading (event.service.ts), so a reader that may have missed events is told.
 */
import type { PartitionedTable } from '../../platform/db/partitions.ts';
import { expireStray, markExpired } from './event-retention.system-store.ts';

export const EVENTS_KEPT_DAYS = 30;

export const eventPartitions: PartitionedTable = {
  name: 'events',
  keepDays: EVENTS_KEPT_DAYS,
  beforeDrop: markExpired,
  cleanDefault: expireStray,
};
