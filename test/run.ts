/**
 * `npm test [words…] [-- -t name]`: runs the tests of the fast tier, or all test files whose path contains one of the words.
 * `npm run test:full` runs every test file. A test that fails runs once more, alone; if it passes then, the end names it as
 * flaky. The last line is `N passed, N failed` (and `, N skipped`). The exit code is 1 when anything failed, a file or
 * everything did not run, or a test was skipped without a reason.
 *
 * TEST_DATABASE_URL: the PostgreSQL server to test on, in place of the embedded one.
 * --tier fast|full|database: see test/support/tiers.ts.
 * --report FILE: writes a summary of the run to a file, as JSON (RunSummary of test/support/tally.ts).
 * --record: records the times of the files in test/durations.json.
 */
import { writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { createVitest, type Vitest } from 'vitest/node';
import { ensureAllBuilt } from '../scripts/build/bundles.js';
import { recordDurations, recordedDurations } from './support/file-order.ts';
import { Outcome } from './support/outcome.ts';
import { ROOT } from './support/product.ts';
import { rememberFlaky, rememberRun } from './support/run-cache.ts';
import { setSeed } from './support/seed.ts';
import {
  afterSecondTry,
  conclusion,
  count,
  type Cured,
  type FileResult,
  isSound,
  slowest,
  summarizeRun,
  toTryAgain,
  withMissing,
} from './support/tally.ts';
import { isTier, type Selected, selectTier, TIERS } from './support/tiers.ts';

const SLOWEST = 15;

const startedAt = new Date();

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    testNamePattern: { type: 'string', short: 't' },
    tier: { type: 'string', default: 'fast' },
    report: { type: 'string' },
    record: { type: 'boolean', default: false },
  },
});
const { tier, testNamePattern } = values;
if (!isTier(tier)) {
  console.error(`--tier is one of ${TIERS.join(', ')}`);
  process.exit(1);
}

/** The files of this run. */
function select(): Selected[] {
  if (positionals.length === 0) return selectTier(tier as (typeof TIERS)[number]);
  const words = positionals.map((word) => relative(ROOT, join(process.cwd(), word)));
  return selectTier('full').filter(({ file }) =>
    positionals.concat(words).some((word) => file.includes(word)),
  );
}

type Part = Selected & { testNames?: string[] };

async function run(parts: readonly Part[], options: { maxWorkers?: number } = {}): Promise<FileResult[]> {
  const byFile = new Map(parts.map((part) => [part.file, part]));
  const named = testNamePattern === undefined ? {} : { testNamePattern: new RegExp(testNamePattern) };
  const outcome = new Outcome((file) => ({ ...named, ...byFile.get(file) }));
  const vitest: Vitest = await createVitest('test', {
    watch: false,
    allowOnly: false,
    reporters: ['default', outcome],
    ...(testNamePattern === undefined ? {} : { testNamePattern }),
    ...options,
  });
  try {
    await vitest.standalone();
    const specifications = (await vitest.globTestSpecifications()).filter((specification) => {
      const part = byFile.get(relative(ROOT, specification.moduleId));
      if (!part) return false;
      specification.testNamePattern = part.testNamePattern;
      specification.testNames = part.testNames;
      return true;
    });
    if (specifications.length > 0) await vitest.runTestSpecifications(specifications, true);
  } finally {
    await vitest.close();
  }
  return outcome.results;
}

const seed = setSeed();
// Once, before several tests start servers that would each build them.
const report = { info: (message: string) => console.log(message) };
await ensureAllBuilt(report);

const selected = select();
let results = withMissing(
  await run(selected),
  selected.map(({ file }) => file),
);
let cured: Cured[] = [];
const again = toTryAgain(results);
if (again.length > 0) {
  console.log(`\nOnce more, alone: ${again.map(({ file }) => file).join(', ')}`);
  ({ results, cured } = afterSecondTry(results, await run(again, { maxWorkers: 1 })));
}
const seconds = Math.round((Date.now() - startedAt.getTime()) / 1000);
const isWholeTier = positionals.length === 0 && testNamePattern === undefined;

const repeated = rememberFlaky(cured);
if (repeated.length > 0)
  console.log(`Flaky in more than one run; mend them:\n${repeated.map((one) => `  ${one}`).join('\n')}`);
const recorded = recordedDurations();
if (values.record) recordDurations(results);
if (isWholeTier) {
  const { passed, failed } = count(results);
  rememberRun({
    tier,
    seconds,
    files: results.length,
    tests: passed + failed,
    startedAt: startedAt.toISOString(),
  });
}

console.log(`\n${slowest(results, recorded, SLOWEST)}\n${results.length} files, seed ${seed}, ${seconds} s`);
console.log(conclusion(results, cured));
if (values.report)
  writeFileSync(values.report, JSON.stringify(summarizeRun(results, cured, recorded, seconds)));
process.exit(isSound(results) ? 0 : 1);
