/**
 * Collects garbage when V8 would not: after it has counted too little of it, or while it has no reason to look.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

type Collect = (options: { type: 'minor' | 'major'; flavor?: 'last-resort' }) => void;
let collect: Collect | undefined;

/** The engine's collector, which programs see only while this flag is set. */
function collector(): Collect {
  setFlagsFromString('--expose-gc');
  const found = runInNewContext('gc') as Collect;
  setFlagsFromString('--no-expose-gc');
  return found;
}

/**
 * Frees the memory of buffers that were dropped recently. Each piece that a socket gives is a buffer outside the heap. V8
 * counts them, but looks for dead ones only after tens of megabytes, so a transfer of 60 MB would raise the process by
 * nearly as much. This takes about a millisecond.
 */
export function collectYoungGarbage(): void {
  (collect ??= collector())({ type: 'minor' });
}

/** After work that the start defers, such as loading pg-boss and creating partitions. */
const FIRST_LOOK_MS = 8_000;
const LOOK_AGAIN_MS = 10_000;
/** Share of a look's time in which the event loop was busy. */
const IDLE_BELOW = 0.1;

/**
 * Gives the garbage of the start, and the young generation that it grew, back to the system: some 15 MB. This stops the
 * process for about 60 ms, so it waits until hardly anything is going on. A busy process doesn't need it.
 * @returns a function that gives up the wait
 */
export function collectOnceIdle(): () => void {
  let before = performance.eventLoopUtilization();
  let timer = setTimeout(check, FIRST_LOOK_MS).unref();
  function check(): void {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    if (utilization < IDLE_BELOW) (collect ??= collector())({ type: 'major', flavor: 'last-resort' });
    else timer = setTimeout(check, LOOK_AGAIN_MS).unref();
  }
  return () => clearTimeout(timer);
}
