/**
 * `node scripts/ci-summary.ts DIR SECONDS`: the end of `.ci/run`, from what its steps left in a directory: `failures` (a line
 * for each failed step), `table` (of `npm run figures`), and `<run>.json` with `<run>.title` for each run of tests. Its
 * last line is `N passed, N failed`. Exits with 1 where anything failed or was skipped.
 */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BOUNDS } from '../bench/bounds.ts';
import type { RunSummary } from '../test/support/tally.ts';

/** Longer lists are cut; the output before has them whole. */
const MAX_LISTED = { failures: 20, flaky: 5, skips: 3 };
const MAX_LINE = 200;

interface Run extends RunSummary {
  title: string;
}

export interface Ending {
  /** What failed beside the tests. */
  steps: readonly string[];
  runs: readonly Run[];
  /** A Markdown table. */
  table: string;
}

function list(title: string, lines: readonly string[], max: number): string[] {
  if (lines.length === 0) return [];
  const shown = lines.slice(0, max).map((line) => `  ${line.slice(0, MAX_LINE)}`);
  const more = lines.length > max ? [`  and ${lines.length - max} more, above`] : [];
  return [title, ...shown, ...more];
}

/**
 * Composes the last lines of `.ci/run`, at most 60 of them. What was skipped was not tested, and a step that failed is a
 * failure; both count.
 */
export function summarize({ steps, runs, table }: Ending): { lines: string[]; failed: number } {
  const sum = (key: 'passed' | 'failed' | 'skipped'): number =>
    runs.reduce((total, run) => total + run[key], 0);
  const failed = sum('failed') + sum('skipped') + steps.length;
  const all = (key: 'failures' | 'flaky' | 'skips'): string[] => runs.flatMap((run) => run[key]);
  const lines = [
    ...list('Failed steps:', steps, 4),
    ...list('Failed tests:', all('failures'), MAX_LISTED.failures),
    ...list('Skipped, which counts as failed:', all('skips'), MAX_LISTED.skips),
    ...list('Flaky, passed only at the second try:', all('flaky'), MAX_LISTED.flaky),
    ...runs.map(
      ({ title, files, seconds, passed, failed: faults, skipped }) =>
        `${title}: ${files} files, ${seconds} s, ${passed} passed, ${faults} failed, ${skipped} skipped`,
    ),
    ...table.trimEnd().split('\n'),
    `${sum('passed')} passed, ${failed} failed`,
  ];
  return { lines, failed };
}

if (import.meta.main) {
  const [folder = '', seconds = ''] = process.argv.slice(2);
  const read = (name: string): string =>
    existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8') : '';
  const runs = globSync('*.json', { cwd: folder })
    .toSorted()
    .map((name) => ({
      ...(JSON.parse(read(name)) as RunSummary),
      title: read(name.replace(/json$/, 'title')).trim(),
    }));
  for (const { title, slowest } of runs)
    console.log(`The slowest files of ${title} (recorded before):\n${slowest.join('\n')}`);
  const steps = read('failures').split('\n').filter(Boolean);
  const { lines, failed } = summarize({ steps, runs, table: read('table') });
  console.log(`\n${BOUNDS.ci.title} took ${seconds} s\n${lines.join('\n')}`);
  process.exitCode = failed > 0 ? 1 : 0;
}
