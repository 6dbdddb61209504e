/**
 * The auth epoch, which limits how long a cached key, session or role may be trusted.
 *
 * Every change that invalidates one (revoke, change, sign-out, removal) raises the single row `auth_epoch` in its own
 * transaction. Each process reads that row every 250 ms. A cached entry carries the epoch of the snapshot it was read
 * in. The entry is valid only while that is the newest known epoch AND the last successful read began less than 600 ms
 * ago by the monotonic clock; otherwise it is read again. So nothing outlives its revocation by 1 s: not with a broken
 * listener, not in a frozen process, and not without a database (the response is then 503).
 */
import { sql } from 'kysely';
import type { Database } from '../../platform/db/database.ts';
import type { Unit } from '../unit/unit-of-work.ts';
import { observeDatabaseTime } from '../../platform/time/clock.ts';

const READ_EVERY_MS = 250;
export const TRUSTED_FOR_MS = 600;

export interface Epoch {
  /** Connections for reading the epoch, which never wait behind requests. */
  db: Database;
  /** Returns whether an entry read at `epoch` is still valid. Two comparisons; called several times per request. */
  isCurrent(epoch: number): boolean;
  /** Reads the epoch now; concurrent callers share one read. */
  refresh(): Promise<void>;
  /** Records an epoch seen in another query that began at `startedAt` (performance.now()). */
  observe(epoch: number, startedAt: number): void;
  stop(): void;
}

export function startEpoch(db: Database, onError: (error: unknown) => void): Epoch {
  let known = -1;
  let readAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | null = null;

  const observe = (epoch: number, startedAt: number): void => {
    if (epoch > known) {
      known = epoch;
      readAt = startedAt;
    } else if (epoch === known && startedAt > readAt) readAt = startedAt;
  };

  const read = async (): Promise<void> => {
    const startedAt = performance.now();
    const { rows } = await sql<{ epoch: number; at: Date }>`
      select epoch, clock_timestamp() as at from auth_epoch
    `.execute(db);
    observeDatabaseTime(rows[0]!.at, startedAt, performance.now());
    observe(rows[0]!.epoch, startedAt);
  };

  const refresh = (): Promise<void> =>
    (reading ??= read().finally(() => {
      reading = null;
    }));

  const timer = setInterval(() => void refresh().catch(onError), READ_EVERY_MS);
  timer.unref();

  return {
    db,
    isCurrent: (epoch) => epoch === known && performance.now() - readAt < TRUSTED_FOR_MS,
    refresh,
    observe,
    stop: () => clearInterval(timer),
  };
}

/** Raises the epoch. Call it in the transaction of every change that invalidates a cached key, session or role. */
export async function raiseEpoch(unit: Unit): Promise<void> {
  await unit.db
    .updateTable('auth_epoch')
    .set({ epoch: sql`epoch + 1` })
    .execute();
  unit.afterCommit(unit.epochRaised);
}
