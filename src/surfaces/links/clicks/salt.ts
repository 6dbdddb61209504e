/**
 * What visitors are hashed with: a random salt for each UTC day, the same in all processes, forgotten two days later.
 * Whoever redirects has today's and tomorrow's in memory, so that neither a visit nor midnight waits for the database.
 *
 * While the database has never answered for a day, a random salt of this process stands in; what was hashed with it is
 * at worst counted as a visitor twice on that day.
 */
import { randomBytes } from 'node:crypto';
import type { Database } from '../../../platform/db/database.ts';
import { DAY_MS } from '../../../platform/db/partitions.ts';
import { agreeOnSalts, deleteSaltsBefore } from './salt.system-store.ts';
import { currentMs } from '../../../platform/time/clock.ts';

const SALT_BYTES = 32;
const KEPT_DAYS = 2;
const LOOK_EVERY_MS = 60_000;
const TRY_AGAIN_MS = 2_000;

export interface Salts {
  /** The salt of the day of a time (milliseconds since 1970); never waits. Yesterday's, today's and tomorrow's only. */
  getSalt(at: number): Buffer;
  /** Asks the database; at once, then each minute. Faults are tried again, and told once each time they begin. */
  start(): void;
  stop(): Promise<void>;
}

const dayOf = (at: number): number => Math.floor(at / DAY_MS);
const dayName = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10);

export function createSalts(deps: {
  db: Database;
  log: { warn(details: object, message: string): void };
  clock?: () => number;
}): Salts {
  const { db, log, clock = currentMs } = deps;
  const known = new Map<number, { salt: Buffer; agreed: boolean }>();
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | null = null;
  let stopped = false;
  let failures = 0;

  const forgetOld = (today: number): void => {
    for (const day of known.keys()) if (day < today - 1 || day > today + 1) known.delete(day);
  };
  const ensure = (day: number): Buffer => {
    const there = known.get(day);
    if (there) return there.salt;
    // Whatever times are asked for, three days are kept.
    forgetOld(dayOf(clock()));
    const salt = randomBytes(SALT_BYTES);
    known.set(day, { salt, agreed: false });
    return salt;
  };

  const look = async (): Promise<void> => {
    const today = dayOf(clock());
    const missing = [today, today + 1].filter((day) => !known.get(day)?.agreed);
    if (missing.length) {
      const offered = missing.map((day) => ({ day: dayName(day), salt: ensure(day) }));
      const agreed = await agreeOnSalts(db, offered);
      for (const { day, salt } of agreed)
        known.set(dayOf(Date.parse(`${day}T00:00:00Z`)), { salt, agreed: true });
    }
    forgetOld(today);
  };
  const tick = (): void => {
    running = look()
      .then(
        () => {
          failures = 0;
        },
        (error: unknown) => {
          if (failures++ === 0)
            log.warn({ err: error }, 'salts of visitors could not be read; tried again soon');
        },
      )
      .finally(() => {
        if (stopped) return;
        timer = setTimeout(tick, failures ? TRY_AGAIN_MS * (0.5 + Math.random()) : LOOK_EVERY_MS);
        timer.unref();
      });
  };

  return {
    getSalt: (at) => ensure(dayOf(at)),
    start: tick,
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}

/** Deletes salts of days that are over for longer than two days. Scheduled. @returns how many */
export const deleteOldSalts = (db: Database, now: Date): Promise<number> =>
  deleteSaltsBefore(db, dayName(dayOf(now.getTime()) - KEPT_DAYS));
