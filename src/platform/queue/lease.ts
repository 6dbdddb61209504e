/**
 * Lease of a process on the rows that it claims. It is renewed every 2 s. A process that could not renew it must have
 * stopped by the time that others may take over its claims, so validity counts from before the renewal was sent, by the
 * monotonic clock, which continues while a process is frozen.
 */
import { newUuid } from '../http/ids.ts';
import type { Database } from '../db/database.ts';
import type { Log } from '../logging/log.ts';

const RENEW_MS = 2_000;

export interface LeaseStore {
  /** Must be idempotent: it is repeated when its response was lost. */
  add(db: Database, id: string, leaseMs: number): Promise<void>;
  /** @returns false if the lease was lost: another process has the claims */
  renew(db: Database, id: string, leaseMs: number): Promise<boolean>;
  /** Releases all claims of a process that stops. */
  remove(db: Database, id: string): Promise<unknown>;
  /** Releases or takes over the claims of processes whose lease has expired. @returns the number of claims */
  takeOver(db: Database): Promise<number>;
}

export interface Lease {
  /** ID of the holder; it changes after a lease was lost. */
  id(): string;
  /** Whether the lease is valid. Aborts `signal` if it is not. */
  isHeld(): boolean;
  /** Aborts when the lease ends. Each lease has its own. */
  signal(): AbortSignal;
  start(): void;
  /** Resolves after all claims were released. */
  stop(): Promise<void>;
}

export interface LeaseOptions {
  db: Database;
  /** Names the queue in log messages. */
  name: string;
  store: LeaseStore;
  /** Time after which others take over. */
  leaseMs: number;
  /** Time after a renewal for which the holder continues without another. The rest is for work that it must finish. */
  heldMs: number;
  renewMs?: number;
  log: Pick<Log, 'warn'>;
  /** Claims of others were released or taken over. */
  onTakenOver: () => void;
  /** The claims of this process belong to others now. */
  onLost: () => void;
}

export function createLease(options: LeaseOptions): Lease {
  const { db, name, store, leaseMs, heldMs, renewMs = RENEW_MS, log, onTakenOver, onLost } = options;
  let id = newUuid();
  let isRegistered = false;
  let until = Number.NEGATIVE_INFINITY;
  let ending = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let renewing: Promise<void> | null = null;
  let takingOver: Promise<void> | null = null;
  let failures = 0;

  // A process that was frozen may run its timers late, so each caller that looks aborts the signal.
  const isHeld = (): boolean => {
    if (performance.now() < until) return true;
    ending.abort();
    return false;
  };

  const takeOver = async (): Promise<void> => {
    const count = await store.takeOver(db);
    if (!count) return;
    log.warn({ count }, `${name}: recovered claims of a dead process`);
    onTakenOver();
  };

  const renew = async (): Promise<void> => {
    const startedAt = performance.now();
    if (isRegistered && !(await store.renew(db, id, leaseMs))) {
      id = newUuid();
      isRegistered = false;
      until = Number.NEGATIVE_INFINITY;
      ending.abort();
      log.warn({}, `${name}: lease lost, other processes have recovered its claims`);
      onLost();
    }
    if (!isRegistered) {
      await store.add(db, id, leaseMs);
      isRegistered = true;
    }
    until = startedAt + heldMs;
    if (ending.signal.aborted) ending = new AbortController();
    // Not awaited: it may wait for locks, while this process's own lease must not expire.
    takingOver ??= takeOver()
      .catch((error: unknown) =>
        log.warn({ err: error }, `${name}: could not recover claims of a dead process, retrying`),
      )
      .finally(() => {
        takingOver = null;
      });
  };

  const tick = (): void => {
    isHeld();
    renewing ??= renew()
      .then(
        () => {
          failures = 0;
        },
        (error: unknown) => {
          if (failures++ === 0) log.warn({ err: error }, `${name}: could not renew lease, retrying`);
        },
      )
      .finally(() => {
        renewing = null;
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
      await renewing;
      await takingOver;
      until = Number.NEGATIVE_INFINITY;
      ending.abort();
      if (!isRegistered) return;
      await store
        .remove(db, id)
        .catch((error: unknown) =>
          log.warn({ err: error }, `${name}: could not release claims, they expire with the lease`),
        );
    },
  };
}
