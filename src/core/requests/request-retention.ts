/** Retention of the request log. */
import type { PartitionedTable } from '../../platform/db/partitions.ts';

const REQUESTS_KEPT_DAYS = 7;

export const requestPartitions: PartitionedTable[] = [{ name: 'api_requests', keepDays: REQUESTS_KEPT_DAYS }];
