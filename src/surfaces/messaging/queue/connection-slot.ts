/** One held connection as the sender sees it: what of it is under way, and when it is worth looking for more. */
import type { ConnectionLease } from '../connections/connection-lease.ts';
import type { Claimed } from './claim.system-store.ts';
import { createPace, type Pace } from './pace.ts';

/** Where nothing says that there is something to do, it is looked for so often. */
export const POLL_MS = 1_000;
const RETRY_GRACE_MS = 3;

export interface ConnectionSlot {
  readonly held: ConnectionLease;
  readonly pace: Pace;
  /** Claimed and not settled yet, by id. */
  readonly claimed: Map<string, Claimed>;
  /** What a holder before left under way was taken over. */
  isRecovered: boolean;
  /** A transaction that may claim more of it is under way, or may have committed without an answer. */
  isAsked: boolean;
  /** By `performance.now()`. */
  lookAt: number;
  /** When what was put back is due, as far as that is before the next look. */
  retries: number[];
  /** Somebody else held its queue when what ended of it was to be settled (ended.ts). */
  busy: { since: number; tryAt: number; isApart: boolean } | null;
  /** To be called once nothing is under way, nor may come to be; where it is set nothing more is begun. */
  ended: (() => void) | null;
}

export const createConnectionSlot = (held: ConnectionLease): ConnectionSlot => ({
  held,
  pace: createPace(held.capabilities.pacing),
  claimed: new Map(),
  isRecovered: false,
  isAsked: false,
  lookAt: Number.NEGATIVE_INFINITY,
  retries: [],
  busy: null,
  ended: null,
});

/** Whether anything may be begun on it. */
export const isOpen = ({ held, ended }: ConnectionSlot): boolean =>
  ended === null && !held.signal.aborted && held.isHeld();

/** How many more may go. @param settling rows of it that are settled in the same transaction */
export const getFreeSlots = ({ held, claimed, pace }: ConnectionSlot, settling: number): number =>
  Math.max(0, Math.min(held.capabilities.pacing.concurrency - (claimed.size - settling), pace.available()));

/** When to look again, after a look that gave as many rows. */
export function scheduleScan(lane: ConnectionSlot, found: number, capacity: number): void {
  const now = performance.now();
  // As many as there was room for: there may be more as soon as there is room again, which whoever makes it says.
  const next = found > 0 && found >= capacity ? 0 : POLL_MS;
  lane.retries = lane.retries.filter((at) => at > now);
  lane.lookAt = Math.min(now + next, now + (lane.pace.wait() ?? POLL_MS), ...lane.retries);
}

/** Something of it is due again after so long. */
export function scheduleRetry(lane: ConnectionSlot, dueMs: number): void {
  // Some more, because the database counts from a little later.
  if (dueMs < POLL_MS) lane.retries.push(performance.now() + dueMs + RETRY_GRACE_MS);
}
