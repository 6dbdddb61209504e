/**
 * Salts that visitors are hashed with: a random salt per UTC day, shared by all processes and deleted two days later.
 * Processes that redirect hold the salts of today and tomorrow in memory, so that neither a visit nor midnight waits
 * for the database.
 *
 * Until the database has answered for a day, a random salt of the process is used. A visitor hashed with it is at worst
 * counted twice on that day.
 */
import { randomBytes } from 'node:crypto';
import type { Database } from '../../../platform/db/database.ts';
import { DAY_MS } from '../../../platform/db/partitions.ts';
import type { Log } from '../../../platform/logging/log.ts';
import { agreeOnSalts, deleteSaltsBefore } from './salt.system-store.ts';
import { currentMs } from '../../../platform/time/clock.ts';

const SALT_BYTES = 32;
const KEPT_DAYS = 2;
const REFRESH_INTERVAL_MS = 60_000;
const RETRY_MS = 2_000;

export interface Salts {
  /** Returns the salt for a time in ms since 1970, without waiting. Only for yesterday, today and tomorrow. */
  getSalt(at: number): Buffer;
  /** Loads salts immediately and then every minute. Failures are retried; only the first one in a row is logged. */
  start(): void;
  stop(): Promise<void>;
}

const toDay = (at: number): number => Math.floor(at / DAY_MS);
const dayName = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10);

export function createSalts(deps: { db: Database; log: Pick<Log, 'warn'>; clock?: () => number }): Salts {
  const { db, log, clock = currentMs } = deps;
  const known = new Map<number, { salt: Buffer; agreed: boolean }>();
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | null = null;
  let stopped = false;
  let failures = 0;

  const deleteOld = (today: number): void => {
    for (const day of known.keys()) if (day < today - 1 || day > today + 1) known.delete(day);
  };
  const ensure = (day: number): Buffer => {
    const cached = known.get(day);
    if (cached) return cached.salt;
    // At most three days are kept, whatever times are requested.
    deleteOld(toDay(clock()));
    const salt = randomBytes(SALT_BYTES);
    known.set(day, { salt, agreed: false });
    return salt;
  };

  const refresh = async (): Promise<void> => {
    const today = toDay(clock());
    const missing = [today, today + 1].filter((day) => !known.get(day)?.agreed);
    if (missing.length) {
      const offered = missing.map((day) => ({ day: dayName(day), salt: ensure(day) }));
      const agreed = await agreeOnSalts(db, offered);
      for (const { day, salt } of agreed)
        known.set(toDay(Date.parse(`${day}T00:00:00Z`)), { salt, agreed: true });
    }
    deleteOld(today);
  };
  const tick = (): void => {
    running = refresh()
      .then(
        () => {
          failures = 0;
        },
        (error: unknown) => {
          if (failures++ === 0) log.warn({ err: error }, 'visitor salts: could not load, retrying');
        },
      )
      .finally(() => {
        if (stopped) return;
        timer = setTimeout(tick, failures ? RETRY_MS * (0.5 + Math.random()) : REFRESH_INTERVAL_MS);
        timer.unref();
      });
  };

  return {
    getSalt: (at) => ensure(toDay(at)),
    start: tick,
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}

/** Deletes salts of days that ended more than two days ago. Run on a schedule. @returns the number of deleted salts */
export const deleteOldSalts = (db: Database, now: Date): Promise<number> =>
  deleteSaltsBefore(db, dayName(toDay(now.getTime()) - KEPT_DAYS));
