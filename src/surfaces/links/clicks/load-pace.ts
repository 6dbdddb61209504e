/**
 * How the loader shares the process, and the cores that the database shares with it, with redirects, which come first.
 * Its work is cut into pieces of some milliseconds. While thousands of visits a second keep the process busy it takes a
 * small share of the time and lets clicks wait in their journal; a larger one once they have waited for long; and all
 * that it needs before the journal is so full that it would refuse clicks. At lower rates it never rests: what it does
 * for a click costs no more than what the redirect did.
 */
import { performance } from 'node:perf_hooks';

/** Visits a second from which on they press. */
const MANY_A_SECOND = 3_000;
/** Utilisation of the process by others from which on it is busy. */
const BUSY = 0.5;
/** While redirects press: its own part of the process's time, and the part in which the database works for it. */
const LEAST = { own: 0.04, database: 0.1 };
/** The same once clicks have waited for LONG_SECONDS. */
const LATE = { own: 0.2, database: 0.5 };
const LONG_SECONDS = 30;
/** A quarter of what a journal takes (journal-room.ts): from here on clicks are loaded as fast as it goes. */
const MAX_BACKLOG_BYTES = 1024 * 1024 * 1024;
/** Of what is measured; the driver's share of it, and the reading, are not. */
const UNSEEN = 2;
/** How often it looks whether redirects still press. */
const LOOK_MS = 200;

/** Of the redirects of this process. */
export interface Press {
  /** Clicks recorded since the start. */
  recorded: number;
  /** Of clicks that are not loaded yet. */
  backlogBytes: number;
}

export interface LoadPace {
  /** Does a piece of work that takes some milliseconds, and counts them. */
  work<T>(piece: () => T): T;
  /** Lets others have their turn. */
  breathe(): Promise<void>;
  /**
   * To be asked before each batch.
   * @param lagSeconds how long clicks have waited
   * @returns milliseconds after which to ask again; 0: the next batch may begin
   */
  owed(lagSeconds: number): number;
}

const NO_PRESS: Press = { recorded: 0, backlogBytes: 0 };

export function createLoadPace(press: () => Press = () => NO_PRESS): LoadPace {
  /** Since the last batch was allowed. */
  let own = 0;
  let began = performance.now();
  /** How long that batch took; null while it is under way. */
  let took: number | null = null;
  /** As of the last look. */
  let looked = began;
  let ownThen = 0;
  let recordedThen = 0;
  let utilisation = performance.eventLoopUtilization();

  /** Whether redirects have pressed since the last look. */
  const isPressed = (now: number, recorded: number): boolean => {
    const passed = now - looked;
    const { active } = performance.eventLoopUtilization(utilisation);
    const byOthers = passed > 0 ? (active - (own - ownThen) * UNSEEN) / passed : 0;
    const aSecond = passed > 0 ? ((recorded - recordedThen) * 1000) / passed : 0;
    [looked, ownThen, recordedThen] = [now, own, recorded];
    utilisation = performance.eventLoopUtilization();
    return byOthers > BUSY && aSecond > MANY_A_SECOND;
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
    breathe: () => new Promise((resolve) => setImmediate(resolve)),
    owed(lagSeconds) {
      const now = performance.now();
      const { recorded, backlogBytes } = press();
      const pressed = isPressed(now, recorded);
      const share = lagSeconds > LONG_SECONDS ? LATE : LEAST;
      took ??= now - began;
      const rest = Math.max((own * UNSEEN) / share.own, took / share.database) - (now - began);
      if (pressed && rest > 0 && backlogBytes < MAX_BACKLOG_BYTES) return Math.min(rest, LOOK_MS);
      [own, ownThen, began, took] = [0, 0, now, null];
      return 0;
    },
  };
}
