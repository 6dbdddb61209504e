/**
 * A worker's lease. It is renewed every 2 s and lasts 10; whoever could not renew must have stopped sending by the time
 * that others may take its claims over, so validity is counted from before the renewal was asked for, by the
 * monotonic clock, which goes on while a process is frozen.
 */
import type { Database } from '../../db/database.ts';
import { newUuid } from '../../http/ids.ts';
import * as store from './lease.system-store.ts';

const LEASE_MS = 10_000;
const RENEW_MS = 2_000;

export interface Lease {
  /** The worker's id. Another one after a lease was lost. */
  id(): string;
  /** Aborts `signal` where it is not. */
  isHeld(): boolean;
  /** Aborts when the lease ends; a new one with each lease. */
  signal(): AbortSignal;
  start(): void;
  /** After all claims were given back. */
  stop(): Promise<void>;
}

export function createLease(deps: {
  db: Database;
  log: { warn(details: object, message: string): void };
  /** Others' claims were put back. */
  onTakenOver: () => void;
  /** What this worker had claimed is not its own any more. */
  onLost: () => void;
}): Lease {
  const { db, log, onTakenOver, onLost } = deps;
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
    log.warn({ deliveries: count }, 'deliveries of a worker that is gone were taken over');
    onTakenOver();
  };

  const renew = async (): Promise<void> => {
    const asked = performance.now();
    if (isRegistered && !(await store.renewWorker(db, id, LEASE_MS))) {
      id = newUuid();
      isRegistered = false;
      until = Number.NEGATIVE_INFINITY;
      ending.abort();
      log.warn({}, 'a lease for sending deliveries was lost; others have taken over what was claimed');
      onLost();
    }
    if (!isRegistered) {
      await store.addWorker(db, id, LEASE_MS);
      isRegistered = true;
    }
    until = asked + LEASE_MS;
    if (ending.signal.aborted) ending = new AbortController();
    taking ??= takeOver()
      .catch((error: unknown) => log.warn({ err: error }, 'deliveries of a worker that is gone still wait'))
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
          if (failures++ === 0)
            log.warn({ err: error }, 'the lease for sending deliveries could not be renewed');
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
      timer = setInterval(tick, RENEW_MS);
    },
    async stop() {
      clearInterval(timer);
      await running;
      await taking;
      until = Number.NEGATIVE_INFINITY;
      ending.abort();
      if (isRegistered) await store.removeWorker(db, id);
    },
  };
}
