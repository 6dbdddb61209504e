/**
 * `npm test [files…] [-- -t name] [--database-only] [--report file]`: all tests, or those whose path holds one of the
 * words given. A file that fails is run once more, alone; what passes then is named. Ends with what was skipped, what
 * passed at the second try, what failed, and the line `N passed, N failed` (and `, N skipped`); with 1 when anything
 * failed, nothing ran, or something was skipped without a reason.
 *
 * TEST_DATABASE_URL: the PostgreSQL server to test on, in place of the embedded one.
 * --database-only: leaves out, and names, the files to which that server makes no difference.
 * --report: a file for what stands at the end.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { configDefaults } from 'vitest/config';
import { startVitest } from 'vitest/node';
import { ensureConsoleBuilt } from '../src/console/build.ts';
import { ensureReferenceBuilt } from '../src/reference/build.ts';
import { blindToDatabase } from './support/database-use.ts';
import { Outcome } from './support/outcome.ts';
import { ROOT } from './support/product.ts';
import {
  afterSecondTry,
  conclusion,
  type FileResult,
  isSound,
  slowest,
  toTryAgain,
} from './support/tally.ts';

const SLOWEST = 15;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    testNamePattern: { type: 'string', short: 't' },
    'database-only': { type: 'boolean', default: false },
    report: { type: 'string' },
  },
});
const { testNamePattern } = values;

async function run(
  files: string[],
  options: { exclude?: string[]; maxWorkers?: number },
): Promise<FileResult[]> {
  const outcome = new Outcome();
  const vitest = await startVitest('test', files, {
    run: true,
    watch: false,
    allowOnly: false,
    reporters: ['default', outcome],
    ...(testNamePattern === undefined ? {} : { testNamePattern }),
    ...options,
  });
  await vitest.close();
  return outcome.results;
}

// Once, before several tests start servers that would each build them.
const tell = { info: (message: string) => console.log(message) };
await Promise.all([ensureConsoleBuilt(tell), ensureReferenceBuilt(tell)]);

const leftOut = values['database-only'] ? blindToDatabase() : new Map<string, string[]>();
const exclude = [...configDefaults.exclude, ...[...leftOut.values()].flat()];

let results = await run(positionals, { exclude });
let cured: ReturnType<typeof afterSecondTry>['cured'] = [];
const again = toTryAgain(results);
if (again.length > 0) {
  console.log(`\nOnce more, alone: ${again.join(', ')}`);
  const second = await run(
    again.map((file) => join(ROOT, file)),
    { maxWorkers: 1 },
  );
  ({ results, cured } = afterSecondTry(results, second));
}

const named = [...leftOut].map(
  ([reason, files]) =>
    `Left out by --database-only, ${files.length} files, for ${reason}:\n${files.map((file) => `  ${file}`).join('\n')}`,
);
const end = [...named, conclusion(results, cured)].join('\n');
console.log(`\n${slowest(results, SLOWEST)}\n${end}`);
if (values.report) writeFileSync(values.report, `${end}\n`);
process.exit(isSound(results) ? 0 : 1);
