/**
 * Detects that the database's clock was set back, also while nothing ran, and moves due times with it. Otherwise, rows
 * that were due would wait until the clock shows the same time again, possibly for a day.
 *
 * The clock is compared with the latest time that any process recorded. A clock set forward can't be distinguished from
 * elapsed time: retries then come early, and leases expire.
 */
import type { Log } from '../logging/log.ts';
import { createFailureLog } from '../metrics/failure-log.ts';
import { moveDueTimes, recordTime } from './clock-guard.system-store.ts';
import { type Database, isReadOnly } from './database.ts';

const LOOK_EVERY_MS = 2_000;
/** Clocks are often set back by less; pending work is then only delayed by that time. */
const MIN_STEP_MS = 1_000;

/** Compares the clock once. @returns milliseconds that due times were moved by; null where they were not */
export async function followClock(db: Database): Promise<number | null> {
  return (await recordTime(db)) < MIN_STEP_MS ? null : moveDueTimes(db, MIN_STEP_MS);
}

export function startClockGuard(
  db: Database,
  log: Pick<Log, 'info' | 'warn' | 'error'>,
): { stop(): Promise<void> } {
  const outcome = createFailureLog(log, {
    details: {},
    failed: 'clock: could not check the database clock',
    recovered: 'clock: checking the database clock again',
  });
  let looking: Promise<void> | null = null;
  const check = async (): Promise<void> => {
    try {
      const ms = await followClock(db);
      outcome.succeeded();
      if (ms !== null)
        log.warn({ ms: Math.round(ms) }, 'clock: the database clock was set back, moved due times with it');
    } catch (error) {
      // Nothing falls due in a database that takes no writes.
      if (!isReadOnly(error)) outcome.failed(error);
    }
    looking = null;
  };
  const tick = (): void => void (looking ??= check());
  tick();
  const timer = setInterval(tick, LOOK_EVERY_MS);
  return {
    async stop() {
      clearInterval(timer);
      await looking;
    },
  };
}
