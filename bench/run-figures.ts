/**
 * `npm run figures [-- --check]`: measures start, restart, memory, sizes and lines, and writes them to docs/benchmarks.md with
 * their targets and limits (bounds.ts), beside the times of the last test runs on this machine.
 *
 * `--check` writes nothing, prints the recorded values beside, and ends with 1 where a size is over its limit or a figure
 * could not be measured; its folders are in memory where there is enough. `--table FILE` writes the table to a file.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureAllBuilt } from '../scripts/build/bundles.js';
import { fastestFolder } from '../test/support/fastest-folder.ts';
import { temporaryFolder } from '../test/support/temporary-folder.ts';
import { lastRuns } from '../test/support/run-cache.ts';
import { type Bound, type BoundName, BOUNDS, OF_RUNS, type Values } from './bounds.ts';
import { runBounded } from './support/bounded.ts';
import { markdown, markdownTable } from './support/figure.ts';
import { keepFigure } from './support/keep-figure.ts';
import { machine, today } from './support/machine.ts';

const MEASURED = ['start', 'memory', 'console-size', 'install-size', 'code-size'];
/** Only a figure that hangs takes so long. */
const LIMIT_SECONDS = 1_800;
/** The values as they were recorded last. */
const RECORDED = join(import.meta.dirname, 'recorded-figures.json');

const {
  values: { check, table },
} = parseArgs({ options: { check: { type: 'boolean', default: false }, table: { type: 'string' } } });

// A disk's time to create the files of a database varies twofold from minute to minute.
if (check) process.env.TMPDIR = await fastestFolder();

await ensureAllBuilt({ info: (message: string) => console.error(message) });
const failed: string[] = [];
const values: Values = {};
await using folder = await temporaryFolder();
for (const name of MEASURED) {
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
for (const { tier, seconds } of lastRuns()) if (tier in OF_RUNS) values[OF_RUNS[tier]!] = seconds;

const recorded = JSON.parse(readFileSync(RECORDED, 'utf8')) as Values;
const shown = (value: number | undefined, unit: string): string =>
  value === undefined ? '' : `${value.toFixed(value < 10 ? 2 : 0)} ${unit}`;
const rows: string[][] = [];
for (const [name, bound] of Object.entries(BOUNDS) as [BoundName, Bound][]) {
  const { title, unit, target, limit } = bound;
  const value = values[name];
  if (limit !== undefined && value !== undefined && value > limit)
    failed.push(`${title}: ${shown(value, unit)}; the limit is ${shown(limit, unit)}`);
  rows.push([
    title,
    shown(value, unit),
    ...(check ? [shown(recorded[name], unit)] : []),
    shown(target, unit),
    shown(limit, unit),
  ]);
}
const columns = ['', 'now', ...(check ? ['recorded'] : []), 'target', 'limit'];
if (table !== undefined) writeFileSync(table, `${markdownTable(columns, rows)}\n`);
const text = `${markdown({
  title: 'Overview',
  method:
    '`npm run figures -- --check` fails where a size is over its limit. The other figures are only listed.',
  columns,
  rows,
  targets: [],
})}\nMeasured ${today()}: ${machine()}.`;
console.log(text);
if (!check) {
  keepFigure('bounds', text);
  writeFileSync(RECORDED, `${JSON.stringify({ ...recorded, ...values }, null, 2)}\n`);
}
for (const fault of failed) console.error(fault);
if (failed.length && check) process.exitCode = 1;
