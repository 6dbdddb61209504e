/**
 * `npm run figures [-- --check]`: measures start, restart, memory, sizes, test times and lines, and writes them to
 * docs/benchmarks.md, with their bounds (bounds.ts).
 *
 * `--check` writes nothing, and ends with 1 where a figure is over its bound by more than a quarter, or could not be
 * measured; its folders are in memory where there is enough. `--ci-seconds N` is how long `.ci/run` has taken; then only
 * that and the times of its tests are checked.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureAllBuilt } from '../scripts/build/bundles.js';
import { fastestFolder } from '../test/support/fastest-folder.ts';
import { temporaryFolder } from '../test/support/temporary-folder.ts';
import { rememberRun } from '../test/support/run-cache.ts';
import { type Bound, type BoundName, BOUNDS, TOLERANCE, type Values } from './bounds.ts';
import { runBounded } from './support/bounded.ts';
import { markdown } from './support/figure.ts';
import { keepFigure } from './support/keep-figure.ts';
import { machine, today } from './support/machine.ts';

const MEASURED = ['start', 'memory', 'console-size', 'install-size', 'code-size'];
const OF_RUNS = ['test-times'];
const LIMIT_SECONDS = 600;
/** Measured by the runs of the tests, not here. */
const OF_TESTS: BoundName[] = ['fastTests', 'ci'];

const { values: options } = parseArgs({
  options: { check: { type: 'boolean', default: false }, 'ci-seconds': { type: 'string' } },
});
const { check } = options;
const ciSeconds = options['ci-seconds'] === undefined ? null : Number(options['ci-seconds']);
if (ciSeconds !== null) {
  const startedAt = new Date(Date.now() - ciSeconds * 1000).toISOString();
  rememberRun({ tier: 'ci', seconds: ciSeconds, files: 0, tests: 0, startedAt });
}

// A disk's time to create the files of a database varies twofold from minute to minute: no bound could be held on it.
if (check) process.env.TMPDIR = await fastestFolder();

await ensureAllBuilt({ info: (message: string) => console.error(message) });
const failed: string[] = [];
const values: Values = {};
await using folder = await temporaryFolder();
for (const name of ciSeconds === null ? [...MEASURED, ...OF_RUNS] : OF_RUNS) {
  const file = join(folder.path, `${name}.json`);
  const program = join(import.meta.dirname, 'measure.ts');
  const run = await runBounded(
    program,
    [name, '--values', file, ...(check ? ['--discard'] : [])],
    LIMIT_SECONDS,
  );
  if (run.passed) Object.assign(values, JSON.parse(readFileSync(file, 'utf8')) as Values);
  else failed.push(`${name} could not be measured${run.output}`);
}

const shown = (value: number): string => value.toFixed(value < 10 ? 2 : 0);
const rows = (Object.entries(BOUNDS) as [BoundName, Bound][]).map(([name, { title, max: most, unit }]) => {
  const value = values[name];
  const isOver = value !== undefined && value > most * (1 + TOLERANCE);
  if (isOver) failed.push(`${title}: ${shown(value)} ${unit}; the bound is ${most} ${unit}`);
  if (value === undefined && OF_TESTS.includes(name) === (ciSeconds !== null))
    failed.push(`${title} was not measured`);
  const state = value === undefined ? '' : isOver ? 'over' : value > most ? 'within a quarter' : 'met';
  return [title, value === undefined ? '' : `${shown(value)} ${unit}`, `${most} ${unit}`, state];
});
const text = `${markdown({
  title: 'Bounds',
  method:
    'What a change may not make worse: `npm run figures -- --check` fails where a figure is over its bound by more than a quarter. Times are divided by how many times slower than the reference machine this one is, by a bare start of Node and a fixed piece of work in the same run.',
  columns: ['', 'now', 'bound', ''],
  rows,
  targets: [],
})}\nMeasured ${today()}: ${machine()}.`;
console.log(text);
if (!check) keepFigure('bounds', text);
for (const fault of failed) console.error(fault);
if (failed.length && check) process.exitCode = 1;
