/**
 * Limits the CPU share of the loader, because redirects take precedence. The loader shares the process with redirects,
 * and the database shares its cores. Its work is cut into pieces of some milliseconds. While thousands of visits a
 * second keep the process busy, the loader takes a small share of the time and lets clicks wait in their journal. It
 * takes a larger share once clicks have waited long, and no limit applies once the journal is close to rejecting
 * clicks. At lower rates the loader is never throttled: loading a click costs no more than its redirect did.
 */
import { performance } from 'node:perf_hooks';

/** Visits per second above which redirects take precedence. */
const BUSY_VISITS_PER_SECOND = 3_000;
/** Event loop utilization by other work above which the process is busy. */
const BUSY_UTILIZATION = 0.5;
/**
 * Shares while redirects take precedence: of the process's time, and of the time in which the database works for it.
 */
const MIN_SHARE = { own: 0.04, database: 0.1 };
/** Shares once clicks have waited for LONG_SECONDS. */
const CATCH_UP_SHARE = { own: 0.2, database: 0.5 };
const LONG_SECONDS = 30;
/** A quarter of a journal's limit (journal-space.ts): from here on, loading is not throttled. */
const MAX_BACKLOG_BYTES = 1024 * 1024 * 1024;
/** Real cost as a multiple of the measured one: the driver's work and reading are not measured. */
const OVERHEAD_FACTOR = 2;
/** Maximum interval between checks whether redirects still take precedence. */
const CHECK_INTERVAL_MS = 200;

/** Load of the redirects of this process. */
export interface RedirectLoad {
  /** Clicks recorded since the start. */
  recorded: number;
  /** Bytes of clicks that are not loaded yet. */
  backlogBytes: number;
}

export interface LoadPace {
  /** Runs a piece of work of some milliseconds and measures it. */
  work<T>(piece: () => T): T;
  /** Yields to the event loop. */
  yieldToOthers(): Promise<void>;
  /**
   * Returns how long to wait before the next batch. Call before each batch.
   * @param lagSeconds age of the oldest unloaded click
   * @returns milliseconds after which to ask again; 0 if the next batch may begin
   */
  getDelay(lagSeconds: number): number;
}

const NO_LOAD: RedirectLoad = { recorded: 0, backlogBytes: 0 };

export function createLoadPace(getLoad: () => RedirectLoad = () => NO_LOAD): LoadPace {
  /** Own time in ms since the last batch was allowed. */
  let own = 0;
  let began = performance.now();
  /** Duration of that batch in ms; null while it is running. */
  let took: number | null = null;
  /** Values at the last measurement. */
  let measuredAt = began;
  let ownBefore = 0;
  let recordedBefore = 0;
  let utilization = performance.eventLoopUtilization();

  /** Returns whether redirects took precedence since the last measurement. */
  const isBusy = (now: number, recorded: number): boolean => {
    const passed = now - measuredAt;
    const { active } = performance.eventLoopUtilization(utilization);
    const byOthers = passed > 0 ? (active - (own - ownBefore) * OVERHEAD_FACTOR) / passed : 0;
    const visitsPerSecond = passed > 0 ? ((recorded - recordedBefore) * 1000) / passed : 0;
    [measuredAt, ownBefore, recordedBefore] = [now, own, recorded];
    utilization = performance.eventLoopUtilization();
    return byOthers > BUSY_UTILIZATION && visitsPerSecond > BUSY_VISITS_PER_SECOND;
  };

  return {
    work(piece) {
      const from = performance.now();
      try {
        return piece();
      } finally {
        own += performance.now() - from;
      }
    },
    yieldToOthers: () => new Promise((resolve) => setImmediate(resolve)),
    getDelay(lagSeconds) {
      const now = performance.now();
      const { recorded, backlogBytes } = getLoad();
      const busy = isBusy(now, recorded);
      const share = lagSeconds > LONG_SECONDS ? CATCH_UP_SHARE : MIN_SHARE;
      took ??= now - began;
      const rest = Math.max((own * OVERHEAD_FACTOR) / share.own, took / share.database) - (now - began);
      if (busy && rest > 0 && backlogBytes < MAX_BACKLOG_BYTES) return Math.min(rest, CHECK_INTERVAL_MS);
      [own, ownBefore, began, took] = [0, 0, now, null];
      return 0;
    },
  };
}
