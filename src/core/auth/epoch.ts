/**
 * How long a cached key, session or role may be trusted.
 *
 * Whatever makes one untrue (revoke, change, sign-out, removal) raises the one row `auth_epoch` in its own
 * transaction. Each process reads that row every 250 ms. A cached entry carries the epoch of the snapshot that it
 * was read in and counts only while it is the newest epoch known AND the last successful reading began less than
 * 600 ms ago by the monotonic clock; otherwise it is read through. So nothing outlives its revocation by 1 s: not
 * with a cut listener, not in a process that was frozen, not without a database (then the answer is 503).
 */
import { sql } from 'kysely';
import type { Database } from '../../platform/db/database.ts';
import type { Unit } from '../unit-of-work.ts';
import { observeDatabaseTime } from '../../platform/time/clock.ts';

const READ_EVERY_MS = 250;
export const TRUSTED_FOR_MS = 600;

export interface Epoch {
  /** Connections that never wait behind requests: what it is read by. */
  db: Database;
  /** Whether what was read at `epoch` still counts. Two comparisons; called several times a request. */
  isCurrent(epoch: number): boolean;
  /** Reads now; concurrent callers share one reading. */
  refresh(): Promise<void>;
  /** Tells of an epoch seen in another query that began at `startedAt` (performance.now()). */
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

/** To be called in the transaction of every change that makes a cached key, session or role untrue. */
export async function raiseEpoch(unit: Unit): Promise<void> {
  await unit.db
    .updateTable('auth_epoch')
    .set({ epoch: sql`epoch + 1` })
    .execute();
  unit.afterCommit(unit.epochRaised);
}
