/** Measures how much of the machine other programs used during a run. Linux; elsewhere the machine counts as busy. */
import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

export interface Load {
  at: number;
  /** CPU time of all programs, in ms. */
  all: number;
  /** CPU time of this process and of its children that ended, in ms. */
  own: number;
}

const TICK_MS = 10;

function ticks(path: string, fields: (text: string) => string[]): number {
  const numbers = fields(readFileSync(path, 'utf8')).map(Number);
  return numbers.reduce((sum, one) => sum + one, 0) * TICK_MS;
}

/** Returns the CPU time used so far, or null where the system does not tell. */
export function readLoad(): Load | null {
  if (!existsSync('/proc/stat')) return null;
  return {
    at: performance.now(),
    // user, nice, system; then irq, softirq
    all: ticks('/proc/stat', (text) => {
      const [, ...fields] = text.slice(0, text.indexOf('\n')).split(/\s+/);
      return [...fields.slice(0, 3), ...fields.slice(5, 7)];
    }),
    own: ticks('/proc/self/stat', (text) =>
      text
        .slice(text.lastIndexOf(')') + 2)
        .split(' ')
        .slice(11, 15),
    ),
  };
}

/** Returns the share of the machine's CPU time, 0 to 1, that programs outside the test run used between two readings. */
export function busyShare(before: Load | null, after: Load | null): number {
  if (!before || !after) return 1;
  const foreign = after.all - before.all - (after.own - before.own);
  return Math.max(0, foreign / ((after.at - before.at) * availableParallelism()));
}
