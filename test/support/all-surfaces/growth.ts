/**
 * Whether memory or open files of a server grow under a steady load.
 *
 * Connections follow the load: callers and senders open as many as wait for an answer at once and keep them open, so that
 * their number tells how slow the slowest moment was, and rises step by step as slower moments come. It is bounded, and
 * falls to what it was once the load is gone; that is what is asked of it: a leaked one stays. Whatever else is open
 * (files, pipes, timers, journals) has no reason to become more, by not a single one.
 */
import type { OpenFiles } from './open-files.ts';
import type { Sample } from './memory.ts';

/** The straight line through the last two thirds of what was seen. */
export interface Trend {
  first: number;
  last: number;
  /** Of the last two thirds. */
  mean: number;
  perMinute: number;
  /** What it would grow by in these two thirds, as a share of the mean. */
  growth: number;
}

const getMean = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0) / values.length;

export function getTrend(samples: readonly Sample[], of: (sample: Sample) => number): Trend {
  const rest = samples.slice(Math.floor(samples.length / 3));
  const [x, y] = [getMean(rest.map(({ at }) => at)), getMean(rest.map(of))];
  const spread = rest.reduce((sum, { at }) => sum + (at - x) ** 2, 0);
  const slope = spread === 0 ? 0 : rest.reduce((sum, s) => sum + (s.at - x) * (of(s) - y), 0) / spread;
  const seconds = rest.at(-1)!.at - rest[0]!.at;
  return {
    first: of(samples[0]!),
    last: of(samples.at(-1)!),
    mean: y,
    perMinute: slope * 60,
    growth: y === 0 ? 0 : (slope * seconds) / y,
  };
}

/** Kind of connection → the most there may be at any time. */
export type Bounds = Record<string, number>;

/** A run that is shorter says nothing about memory. */
const JUDGED_FROM_SECONDS = 300;
/** Of the mean, over the last two thirds. */
const MAX_GROWTH = 0.1;
/** Over the last two thirds, of a kind that has no reason to grow: less than one file. */
const MAX_MORE = 0.75;

export const getKinds = (samples: readonly Sample[]): string[] =>
  [...new Set(samples.flatMap(({ files }) => Object.keys(files)))].toSorted();

export const getTotal = (files: OpenFiles): number => Object.values(files).reduce((sum, n) => sum + n, 0);

/**
 * @param atRest open files before the load came, and after it was gone
 * @returns what grew, in words
 */
export function whatGrew(
  samples: readonly Sample[],
  bounds: Bounds,
  atRest: { before: OpenFiles; after: OpenFiles },
): string[] {
  const grew: string[] = [];
  for (const [kind, bound] of Object.entries(bounds)) {
    const max = Math.max(...samples.map(({ files }) => files[kind] ?? 0));
    if (max > bound) grew.push(`${kind}: ${max} at once, and at most ${bound} may be`);
    const [before, after] = [atRest.before[kind] ?? 0, atRest.after[kind] ?? 0];
    if (after > before) grew.push(`${kind}: ${after} after all of it, ${before} before`);
  }
  if (!samples.length || samples.at(-1)!.at < JUDGED_FROM_SECONDS * 0.95) return grew;
  const memory = getTrend(samples, ({ server }) => server);
  if (memory.growth > MAX_GROWTH)
    grew.push(`memory of the server: by ${memory.perMinute.toFixed(1)} MB a minute`);
  for (const kind of getKinds(samples).filter((name) => !(name in bounds))) {
    const { growth, mean } = getTrend(samples, ({ files }) => files[kind] ?? 0);
    if (growth * mean > MAX_MORE)
      grew.push(`${kind}: by ${(growth * mean).toFixed(1)} over the last two thirds`);
  }
  return grew;
}
