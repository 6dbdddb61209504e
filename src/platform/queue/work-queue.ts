/**
 * Runtime of a queue whose rows are claimed under a lease of the process and executed independently of each other.
 *
 * A cycle completes, releases and claims rows in transactions of its own. Each claimed row is then executed on its own,
 * and its claim always ends: completed, released, or, once the lease is lost, recovered by another process. Claims that
 * this process holds without executing them (the commit of a cycle or the read of its rows got no response) are released
 * by `recover` before the next cycle.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '../db/database.ts';
import type { Log } from '../logging/log.ts';
import { createLease, type LeaseStore } from './lease.ts';
import { createPoller, type CycleOutcome, type Poller } from './poller.ts';

const DRAIN_POLL_MS = 20;

export interface WorkQueueOptions {
  /** Names the queue in log messages, as in `delivery queue`. */
  name: string;
  /** Pool that does not queue behind requests. */
  db: Database;
  log: Pick<Log, 'warn' | 'error'>;
  store: LeaseStore;
  leaseMs: number;
  /** See lease.ts. */
  heldMs: number;
  /** Wake-ups within this time share a cycle. */
  gatherMs: number;
  /** Time that active rows get to complete on stop; the rest is released. */
  drainMs: number;
  /** Runs one cycle. @param claimer ID of the lease at its start */
  cycle: (claimer: string) => Promise<CycleOutcome>;
  /** Releases claims of this lease that are neither active nor pending. */
  recover: (claimer: string) => Promise<void>;
  /** Number of ended rows that the next cycle completes; they keep the queue from stopping. */
  pending?: () => number;
  /** The lease was lost, and all claims with it. */
  onLost?: () => void;
}

export interface WorkQueue<Row> extends Poller {
  /** Rows being executed, by ID. Cleared when the lease is lost. */
  readonly active: Map<string, Row>;
  /** Whether new rows may be claimed: the lease is held and the queue is not stopping. */
  isOpen(): boolean;
  /** Whether the lease with this ID is still held, and its claims are this process's own. */
  owns(claimer: string): boolean;
  /** ID of the current lease. */
  claimer(): string;
  /** Aborts when the current lease ends. */
  signal(): AbortSignal;
}

export function createWorkQueue<Row>(options: WorkQueueOptions): WorkQueue<Row> {
  const { name, log, gatherMs, drainMs, pending = () => 0, onLost } = options;
  const active = new Map<string, Row>();
  let started = false;
  let draining = false;
  const lease = createLease({
    ...options,
    onTakenOver: () => poller.wake(),
    onLost() {
      active.clear();
      onLost?.();
    },
  });
  const poller = createPoller({
    gatherMs,
    cycle: () => options.cycle(lease.id()),
    recover: () => options.recover(lease.id()),
    onError: (error, failures) => log.error({ err: error, failures }, `${name}: cycle failed, retrying`),
  });
  return {
    active,
    isOpen: () => !draining && lease.isHeld(),
    owns: (claimer) => lease.isHeld() && lease.id() === claimer,
    claimer: lease.id,
    signal: lease.signal,
    wake: poller.wake,
    requestRecovery: poller.requestRecovery,
    start() {
      if (started) return;
      started = true;
      lease.start();
      poller.start();
    },
    async stop() {
      if (!started) return;
      draining = true;
      const deadline = performance.now() + drainMs;
      while ((active.size || pending()) && lease.isHeld() && performance.now() < deadline)
        await delay(DRAIN_POLL_MS);
      started = false;
      await poller.stop();
      await lease.stop();
    },
  };
}
