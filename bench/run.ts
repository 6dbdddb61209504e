/**
 * `npm run bench [-- --quick] [figures…]`: measures, prints a table for each figure and keeps it in
 * docs/benchmarks.md with the date and the machine. Ends with 1 where a figure failed or missed a target.
 *
 * `--quick` shows that every figure runs, several at a time: nothing is kept, and only targets that hold at any speed count.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureAllBuilt } from '../scripts/build/bundles.js';
import { runBounded } from './support/bounded.ts';
import { FIGURES } from './support/figures.ts';

/** Only a figure that hangs takes so long. */
const LIMIT_SECONDS = { quick: 1_800, whole: 3_600 };
/** Most of a quick figure is waiting. */
const AT_ONCE = 3;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: 'boolean', default: false } },
});
const { quick } = values;
const names = positionals.length ? positionals : Object.keys(FIGURES);
const unknown = names.filter((name) => !(name in FIGURES));
if (unknown.length) {
  console.error(`No figure ${unknown.join(', ')}; there are ${Object.keys(FIGURES).join(', ')}`);
  process.exit(1);
}

// A start builds what is missing, which is no part of any figure.
const report = { info: (message: string) => console.error(message) };
await ensureAllBuilt(report);

const failed: string[] = [];
const times: string[] = [];
const program = join(import.meta.dirname, 'measure.ts');
const measure = async (name: string): Promise<void> => {
  const limit = quick ? LIMIT_SECONDS.quick : LIMIT_SECONDS.whole;
  const run = await runBounded(program, [name, ...(quick ? ['--quick'] : [])], limit, quick);
  process.stdout.write(run.output);
  times.push(`${name} ${run.seconds.toFixed(0)} s`);
  if (!run.passed) failed.push(name);
};
const left = [...names];
const work = async (): Promise<void> => {
  for (let name = left.shift(); name; name = left.shift()) await measure(name);
};
await Promise.all(Array.from({ length: quick ? AT_ONCE : 1 }, work));
console.error(times.join(', '));
if (failed.length) {
  console.error(`Failed, or missed a target: ${failed.join(', ')}`);
  process.exitCode = 1;
}
