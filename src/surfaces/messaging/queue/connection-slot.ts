/** State of the sender for one held connection: its active rows, and when to scan its queue for more. */
import type { ConnectionLease } from '../connections/connection-lease.ts';
import type { Claimed } from './claim.system-store.ts';
import { createPace, type Pace } from './pace.ts';

/** Interval of scans without a wake-up. */
export const POLL_MS = 1_000;
const RETRY_GRACE_MS = 3;

export interface ConnectionSlot {
  readonly held: ConnectionLease;
  /** The person that its rows count for; the workspace until its first owner is known. */
  person: string;
  readonly pace: Pace;
  /** Claimed rows whose completion is not stored yet, by ID. */
  readonly claimed: Map<string, Claimed>;
  /** Whether the rows that an earlier holder left active were recovered. */
  isRecovered: boolean;
  /** Whether a transaction that may claim its rows is running, or may have committed without a response. */
  isClaiming: boolean;
  /** Time of the next scan, by `performance.now()`. */
  nextScanAt: number;
  /** When released rows are due, if before the next scan. */
  retries: number[];
  /** Set while another node or request holds the lock of its queue (completion-queue.ts). */
  busy: { since: number; tryAt: number; isSeparate: boolean } | null;
  /** Called once no row is active, or can become active. Nothing is started while it is set. */
  onDrained: (() => void) | null;
}

export const createConnectionSlot = (held: ConnectionLease): ConnectionSlot => ({
  held,
  person: held.workspaceId,
  pace: createPace(held.capabilities.pacing),
  claimed: new Map(),
  isRecovered: false,
  isClaiming: false,
  nextScanAt: Number.NEGATIVE_INFINITY,
  retries: [],
  busy: null,
  onDrained: null,
});

/** Returns the lease under which the rows of a slot are claimed. */
export const toEpoch = ({ held }: ConnectionSlot) => ({
  instance_id: held.instanceId,
  node_id: held.nodeId,
  epoch: held.epoch,
});

/** Whether rows may be started on the connection. */
export const isOpen = ({ held, onDrained }: ConnectionSlot): boolean =>
  onDrained === null && !held.signal.aborted && held.isHeld();

/** Returns how many more rows may be started. @param completing its rows that complete in the same transaction */
export const getFreeSlots = ({ held, claimed, pace }: ConnectionSlot, completing: number): number =>
  Math.max(0, Math.min(held.capabilities.pacing.concurrency - (claimed.size - completing), pace.available()));

/** Schedules the next scan. @param found rows claimed by the last one. @param capacity maximum that it could claim */
export function scheduleScan(slot: ConnectionSlot, found: number, capacity: number): void {
  const now = performance.now();
  // A full scan: more may be due, and the completion that frees a slot starts the next one.
  const next = found > 0 && found >= capacity ? 0 : POLL_MS;
  slot.retries = slot.retries.filter((at) => at > now);
  slot.nextScanAt = Math.min(now + next, now + (slot.pace.wait() ?? POLL_MS), ...slot.retries);
}

/** Schedules a scan for a row that is due again after `dueMs`. */
export function scheduleRetry(slot: ConnectionSlot, dueMs: number): void {
  // Plus a margin, because the database counts from a little later.
  if (dueMs < POLL_MS) slot.retries.push(performance.now() + dueMs + RETRY_GRACE_MS);
}
