/**
 * Starts the longest test files first, so that none of them is left over at the end for one worker alone. The times
 * are recorded in test/durations.json (`npm test -- --record`); vitest knows none in a clean clone.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { ROOT } from './product.ts';
import type { FileResult } from './tally.ts';

const RECORDED = join(ROOT, 'test/durations.json');
/** Shorter files are not recorded; they follow in vitest's own order. */
const MIN_SECONDS = 3;

/** Returns the seconds of each file whose duration is recorded. */
export const recordedDurations = (): Record<string, number> => JSON.parse(readFileSync(RECORDED, 'utf8'));

/** Records the times of the files that ran, beside those of the files that did not. */
export function recordDurations(results: readonly FileResult[]): void {
  const durations = recordedDurations();
  for (const { file, ms } of results) {
    delete durations[file];
    if (ms >= MIN_SECONDS * 1000) durations[file] = Math.round(ms / 1000);
  }
  const sorted = Object.entries(durations).toSorted(([a, x], [b, y]) => y - x || a.localeCompare(b));
  writeFileSync(RECORDED, `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`);
}

export class LongestFirst extends BaseSequencer {
  /** Keeps the files of a project together: a shared worker only goes on with files of its own project. */
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const durations = recordedDurations();
    const seconds = ({ moduleId }: TestSpecification): number => durations[relative(ROOT, moduleId)] ?? 0;
    return (await super.sort(files)).toSorted(
      (one, other) => one.project.name.localeCompare(other.project.name) || seconds(other) - seconds(one),
    );
  }
}
