/** The outcome of a claimed delivery within the claiming process, until it is stored. */
import type { Claimed } from './claim.system-store.ts';
import type { OrderKey, Completed } from './complete.system-store.ts';

export interface Done extends Completed {
  order_key: string | null;
}

/** Not tried after all: due again after so many ms, with nothing counted. */
export const release = (claimed: Claimed, afterMs: number): Done => ({
  delivery_id: claimed.delivery_id,
  workspace_id: claimed.workspace_id,
  receiver_id: claimed.receiver_id,
  order_key: claimed.order_key,
  outcome: 'failed',
  reason: null,
  due_ms: afterMs,
  step: claimed.step,
  timed_out: false,
  attempt: null,
});

/** Completed permanently without an attempt. */
export const cancel = (claimed: Claimed, reason: string): Done => ({
  ...release(claimed, 0),
  outcome: 'canceled',
  reason,
  due_ms: null,
});

type Keyed = { receiver_id: string; order_key: string | null };

/** Of a key only one row is sent at a time: where it has been settled none is. */
export function orderKeys(completed: Keyed[], woken: Keyed[]): OrderKey[] {
  const keys = new Map<string, OrderKey>();
  const add = ({ receiver_id, order_key }: Keyed, isFree: boolean): void => {
    if (order_key !== null) keys.set(`${receiver_id} ${order_key}`, { receiver_id, order_key, isFree });
  };
  for (const row of woken) add(row, false);
  for (const row of completed) add(row, true);
  return [...keys.values()];
}

/** Whether the response said that the receiver is permanently gone. */
export const isGone = ({ attempt }: Completed): boolean => attempt?.status_code === 410;

/** Returns the same outcome without the record of the attempt. */
export const withoutRecord = (done: Done): Done => ({ ...done, attempt: null });
