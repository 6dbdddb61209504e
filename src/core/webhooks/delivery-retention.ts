/**
 * Retention of deliveries, attempts and hourly counts.
 *
 * The event of a delivery whose day is dropped no longer exists, so pending deliveries leave the queue first. A
 * delivery that is claimed at that moment is left to its worker: it ends with that attempt, or leaves the queue within
 * the hour.
 */
import { deleteBefore, inBatches } from '../../platform/db/batches.ts';
import type { Database } from '../../platform/db/database.ts';
import { DAY_MS, type PartitionedTable } from '../../platform/db/partitions.ts';
import { FIRST_UUID, firstUuidAt } from '../../platform/db/uuid-time.ts';
import { EVENTS_KEPT_DAYS } from '../events/event-retention.ts';
import * as store from './delivery-retention.system-store.ts';

const STATS_KEPT_DAYS = 31;
const BATCH = 2_000;

/** Removes deliveries with IDs below `id` from the queue. */
async function dropWaiting(db: Database, id: string): Promise<void> {
  for (let after = FIRST_UUID; ;) {
    const receivers = await store.receiversWaiting(db, id, after);
    for (const receiver of receivers)
      await inBatches(BATCH, (max) => store.dropWaiting(db, receiver, id, max));
    if (!receivers.length) return;
    after = receivers.at(-1)!;
  }
}

/** The end of the day that a partition holds. */
function endOfDay(relation: string): Date {
  const [, year, month, day] = /_(\d{4})(\d{2})(\d{2})$/.exec(relation)!;
  return new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)) + DAY_MS);
}

const deliveryPartitions: PartitionedTable = {
  name: 'deliveries',
  keepDays: EVENTS_KEPT_DAYS,
  // Each is updated within a second, mostly.
  fillFactor: 70,
  beforeDrop: (db, relation) => dropWaiting(db, firstUuidAt(endOfDay(relation))),
  async cleanDefault(db, cutoff) {
    await dropWaiting(db, cutoff);
    await store.deleteStray(db, cutoff);
  },
};

const attemptPartitions: PartitionedTable = { name: 'delivery_attempts', keepDays: EVENTS_KEPT_DAYS };

/** The partitioned tables of webhooks. */
export const webhookPartitions: PartitionedTable[] = [deliveryPartitions, attemptPartitions];

/** Deletes hourly counts older than 31 days. @returns how many */
export const deleteOldStats = (db: Database, now: Date, signal?: AbortSignal): Promise<number> =>
  inBatches(
    BATCH,
    (max) =>
      deleteBefore(db, 'webhook_stats', 'hour', new Date(now.getTime() - STATS_KEPT_DAYS * DAY_MS), max),
    signal,
  );
