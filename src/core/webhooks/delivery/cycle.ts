/**
 * A cycle: one transaction that records completed sends, makes new deliveries due, and claims more. Receivers are
 * locked first, in a separate statement (complete.system-store.ts).
 */
import type { Database } from '../../../platform/db/database.ts';
import { claim, type Claimed, readByIndex } from './claim.system-store.ts';
import { type Done, orderKeys } from './done.ts';
import * as store from './complete.system-store.ts';
import type { Slots } from './shares.ts';

export interface CycleResult {
  claimed: Claimed[];
  /** Receivers that failed and had not succeeded since. */
  failing: store.CompletedEndpoint[];
  /** Whether there was anything to do. */
  busy: boolean;
}

/**
 * @param worker ID of the worker
 * @param slowToo whether endpoints that recently timed out take part
 */
export function runCycle(
  db: Database,
  worker: string,
  completed: Done[],
  slots: Slots,
  slowToo: boolean,
): Promise<CycleResult> {
  return db.transaction().execute(async (tx) => {
    await readByIndex(tx);
    const wakes = await store.takePendingWakeups(tx, [
      ...new Set(completed.map(({ receiver_id }) => receiver_id)),
    ]);
    const failing = await store.completeDeliveries(tx, worker, completed);
    const open = wakes.filter((wake) => wake.open);
    await store.promote(tx, orderKeys(completed, open));
    const closed = wakes.filter((wake) => !wake.open).map(({ receiver_id }) => receiver_id);
    await store.cancelWaiting(tx, [...new Set(closed)]);
    const claimed = slots.free > 0 ? await claim(tx, worker, slots, slowToo) : [];
    return { claimed, failing, busy: wakes.length > 0 || completed.length > 0 || claimed.length > 0 };
  });
}
