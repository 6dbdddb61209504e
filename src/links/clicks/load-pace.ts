/**
 * How the loader shares the process with redirects, which come first: its work is cut into pieces of some milliseconds,
 * and while the process is busy with others it rests between batches for as long as keeps it to a fifth of the time.
 */
import { performance } from 'node:perf_hooks';

/** Of the process's time, while others use it. */
const MOST_SHARE = 0.2;
/** Above this utilisation by others the loader rests. */
const PRESSED = 0.5;
/** Of what is measured; the driver's share of it is not. */
const UNSEEN = 1.5;

export interface LoadPace {
  /** Does a piece of work that takes some milliseconds, and counts them. */
  work<T>(piece: () => T): T;
  /** Lets others have their turn. */
  breathe(): Promise<void>;
  /** What was done since the last call. @returns how long to rest before the next batch, in milliseconds */
  rest(): number;
}

export function createLoadPace(): LoadPace {
  let own = 0;
  let began = performance.now();
  let utilisation = performance.eventLoopUtilization();
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
    rest() {
      const passed = performance.now() - began;
      const { active } = performance.eventLoopUtilization(utilisation);
      const mine = own * UNSEEN;
      const byOthers = passed > 0 ? Math.max(0, active - mine) / passed : 0;
      own = 0;
      began = performance.now();
      utilisation = performance.eventLoopUtilization();
      return byOthers < PRESSED ? 0 : Math.max(0, mine / MOST_SHARE - passed);
    },
  };
}
