/**
 * Retention of events. Before events are deleted, the workspace's `expired_through` is updated and committed. Readers
 * check it after reading (event.service.ts), so a reader that may have missed events gets an error.
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
