/** Remembers test runs on this machine, in node_modules/.cache. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './product.ts';
import type { Cured } from './tally.ts';

const FOLDER = join(ROOT, 'node_modules/.cache');
const RUNS = join(FOLDER, 'fairlead-tests.json');
const FLAKY = join(FOLDER, 'fairlead-flaky-tests.json');

export interface TierRun {
  tier: string;
  seconds: number;
  files: number;
  tests: number;
  /** RFC 3339. */
  startedAt: string;
}

function read<T>(file: string, otherwise: T): T {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as T;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return otherwise;
    throw error;
  }
}

function write(file: string, value: unknown): void {
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);
}

/** Returns the last run of each tier on this machine. */
export const lastRuns = (): TierRun[] => read<TierRun[]>(RUNS, []);

/** Keeps the last run of each tier: an array, one entry for each tier. */
export function rememberRun(run: TierRun): void {
  const others = lastRuns().filter(({ tier }) => tier !== run.tier);
  write(RUNS, [...others, run]);
}

/** Counts the runs in which each test was flaky. @returns those of `cured` that were flaky before, with their count */
export function rememberFlaky(cured: readonly Cured[]): string[] {
  if (cured.length === 0) return [];
  const counts = read<Record<string, number>>(FLAKY, {});
  const names = cured.map(({ file, name }) => `${file} > ${name}`);
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  write(FLAKY, counts);
  return names.filter((name) => counts[name]! > 1).map((name) => `${name} (${counts[name]} runs)`);
}
