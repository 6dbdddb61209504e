/**
 * A process's lease on what it claims. It is renewed every 2 s; whoever could not renew must have stopped by the time
 * that others may take its claims over, so validity is counted from before the renewal was asked for, by the
 * monotonic clock, which goes on while a process is frozen.
 */
import { newUuid } from '../http/ids.ts';
import type { Database } from './database.ts';

const RENEW_MS = 2_000;

export interface LeaseStore {
  /** May be asked for again where its answer was lost. */
  add(db: Database, id: string, leaseMs: number): Promise<void>;
  /** @returns false where the lease was lost: somebody else has its claims. */
  renew(db: Database, id: string, leaseMs: number): Promise<boolean>;
  /** Gives all claims back, for a process that stops. */
  remove(db: Database, id: string): Promise<unknown>;
  /** Takes over the claims of others whose lease is over. @returns how many */
  takeOver(db: Database): Promise<number>;
}

export interface NodeLease {
  /** The node's id. Another one after a lease was lost. */
  id(): string;
  /** Aborts `signal` where it is not. */
  isHeld(): boolean;
  /** Aborts when the lease ends; a new one with each lease. */
  signal(): AbortSignal;
  start(): void;
  /** After all claims were given back. */
  stop(): Promise<void>;
}

export interface NodeLeaseOptions {
  db: Database;
  store: LeaseStore;
  /** How long others wait before they take over. */
  leaseMs: number;
  /** How long after a renewal the holder goes on by itself; what it must still do when that is over fits between. */
  heldMs: number;
  /** How often it is renewed. */
  renewMs?: number;
  /** What is told of it, without a full stop. */
  messages: Record<'lost' | 'takenOver' | 'notTakenOver' | 'notRenewed', string>;
  log: { warn(details: object, message: string): void };
  /** Others' claims were put back. */
  onTakenOver: () => void;
  /** What this node had claimed is not its own any more. */
  onLost: () => void;
}

export function createNodeLease(options: NodeLeaseOptions): NodeLease {
  const { db, store, leaseMs, heldMs, renewMs = RENEW_MS, messages, log, onTakenOver, onLost } = options;
  let id = newUuid();
  let isRegistered = false;
  let until = Number.NEGATIVE_INFINITY;
  let ending = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | null = null;
  let taking: Promise<void> | null = null;
  let failures = 0;

  /** A process that was frozen may see a timer late: the signal follows whoever looks. */
  const isHeld = (): boolean => {
    if (performance.now() < until) return true;
    ending.abort();
    return false;
  };

  /** Apart from renewing: it may wait for locks, and its own lease must not end over that. */
  const takeOver = async (): Promise<void> => {
    const count = await store.takeOver(db);
    if (!count) return;
    log.warn({ count }, messages.takenOver);
    onTakenOver();
  };

  const renew = async (): Promise<void> => {
    const asked = performance.now();
    if (isRegistered && !(await store.renew(db, id, leaseMs))) {
      id = newUuid();
      isRegistered = false;
      until = Number.NEGATIVE_INFINITY;
      ending.abort();
      log.warn({}, messages.lost);
      onLost();
    }
    if (!isRegistered) {
      await store.add(db, id, leaseMs);
      isRegistered = true;
    }
    until = asked + heldMs;
    if (ending.signal.aborted) ending = new AbortController();
    taking ??= takeOver()
      .catch((error: unknown) => log.warn({ err: error }, messages.notTakenOver))
      .finally(() => {
        taking = null;
      });
  };

  const tick = (): void => {
    isHeld();
    running ??= renew()
      .then(
        () => {
          failures = 0;
        },
        (error: unknown) => {
          if (failures++ === 0) log.warn({ err: error }, messages.notRenewed);
        },
      )
      .finally(() => {
        running = null;
      });
  };

  return {
    id: () => id,
    isHeld,
    signal: () => ending.signal,
    start() {
      tick();
      timer = setInterval(tick, renewMs);
    },
    async stop() {
      clearInterval(timer);
      await running;
      await taking;
      until = Number.NEGATIVE_INFINITY;
      ending.abort();
      if (isRegistered) await store.remove(db, id);
    },
  };
}
