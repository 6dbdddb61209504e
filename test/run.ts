/**
 * `npm test [words…] [-- -t name]`: runs the tests of the fast tier, or all test files whose path contains one of the words.
 * `npm run test:full` runs the full tier. CONTRIBUTING.md says which folder is in which tier. A test that fails runs
 * once more, alone; if it passes then, the end names it as flaky. The last line is `N passed, N failed` (and
 * `, N skipped`). The exit code is 1 when anything failed, nothing ran, or a test was skipped without a reason.
 *
 * TEST_DATABASE_URL: the PostgreSQL server to test on, in place of the embedded one.
 * --tier fast|full|database|nightly: see test/support/tiers.ts. `nightly` seeds random tests anew.
 * --database-only: leaves out the files to which that server makes no difference.
 * --list: prints the paths of the files that would run, and runs none.
 * --report FILE: writes the end of the output to a file.
 * --record: records the times of the files in test/durations.json.
 */
import { writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { createVitest, type Vitest } from 'vitest/node';
import { ensureAllBuilt } from '../scripts/build/bundles.js';
import { slowness } from '../bench/support/machine-speed.ts';
import { changedFiles } from './support/affected.ts';
import { recordDurations } from './support/file-order.ts';
import { busyShare, readLoad } from './support/machine-load.ts';
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
  tooSlow,
  toTryAgain,
} from './support/tally.ts';
import { allTestFiles, blindToDatabase, isTier, type Selected, selectTier, TIERS } from './support/tiers.ts';

const SLOWEST = 15;
/** Longer files and tests do not belong in the fast tier; on a slower machine they may take longer by as much. */
const FAST_BOUNDS = { fileMs: 30_000, testMs: 12_000 };
/** With more of the machine used by other programs, times say nothing about the tests. */
const MAX_FOREIGN_SHARE = 0.15;

const startedAt = new Date();
const loadAtStart = readLoad();
const slownessAtStart = slowness();

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    testNamePattern: { type: 'string', short: 't' },
    tier: { type: 'string', default: 'fast' },
    'database-only': { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
    report: { type: 'string' },
    record: { type: 'boolean', default: false },
  },
});
const { tier, testNamePattern } = values;
if (!isTier(tier)) {
  console.error(`--tier is one of ${TIERS.join(', ')}`);
  process.exit(1);
}

const notes: string[] = [];
const leaveOut = (reason: string, files: readonly string[]): void => {
  if (files.length > 0)
    notes.push(
      `Left out, ${files.length} files, because ${reason}:\n${files.map((file) => `  ${file}`).join('\n')}`,
    );
};

/** Selects the files of this run, and notes which ones it leaves out. */
function select(): Selected[] {
  if (positionals.length > 0) {
    const { fast, full } = allTestFiles();
    const words = positionals.map((word) => relative(ROOT, join(process.cwd(), word)));
    return [...fast, ...full]
      .filter((file) => positionals.concat(words).some((word) => file.includes(word)))
      .map((file) => ({ file }));
  }
  const { changed, since } = tier === 'full' ? changedFiles() : { changed: 'not asked', since: null };
  const { selected, leftOut } = selectTier(tier as (typeof TIERS)[number], changed);
  for (const [reason, files] of leftOut)
    leaveOut(
      tier === 'full' ? `${reason}${since ? ` since ${since}` : ''}; the nightly tier runs them` : reason,
      files,
    );
  const blind = values['database-only'] ? blindToDatabase() : new Map<string, string[]>();
  for (const [reason, files] of blind) leaveOut(reason, files);
  const isBlind = new Set([...blind.values()].flat());
  return selected.filter(({ file }) => !isBlind.has(file));
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

if (values.list) {
  for (const { file } of select()) console.log(file);
  process.exit();
}

process.env['TEST_TIER'] = tier;
const seed = setSeed(tier === 'nightly');
// Once, before several tests start servers that would each build them.
const report = { info: (message: string) => console.log(message) };
await ensureAllBuilt(report);

let results = await run(select());
let cured: Cured[] = [];
const again = toTryAgain(results);
if (again.length > 0) {
  console.log(`\nOnce more, alone: ${again.map(({ file }) => file).join(', ')}`);
  ({ results, cured } = afterSecondTry(results, await run(again, { maxWorkers: 1 })));
}
const seconds = Math.round((Date.now() - startedAt.getTime()) / 1000);
const isWholeTier = positionals.length === 0 && testNamePattern === undefined;

let isTooSlow = false;
if (tier === 'fast' && isWholeTier) {
  const factor = Math.max(slownessAtStart, slowness());
  const { fileMs, testMs } = FAST_BOUNDS;
  const slow = tooSlow(results, { fileMs: fileMs * factor, testMs: testMs * factor });
  const foreign = busyShare(loadAtStart, readLoad());
  isTooSlow = slow.length > 0 && foreign <= MAX_FOREIGN_SHARE;
  if (slow.length > 0)
    notes.push(
      `Too slow for the fast tier; speed them up or move them to test/slow/${isTooSlow ? '' : ` (only a note: other programs used ${Math.round(foreign * 100)} % of this machine)`}:\n${slow.map((one) => `  ${one}`).join('\n')}`,
    );
}
const repeated = rememberFlaky(cured);
if (repeated.length > 0)
  notes.push(`Flaky in more than one run; mend them:\n${repeated.map((one) => `  ${one}`).join('\n')}`);
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

const end = [...notes, conclusion(results, cured)].join('\n');
console.log(`\n${slowest(results, SLOWEST)}\nSeed ${seed}, ${seconds} s\n${end}`);
if (values.report) writeFileSync(values.report, `${end}\n`);
process.exit(isSound(results) && !isTooSlow ? 0 : 1);
