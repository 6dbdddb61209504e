/**
 * `npm run soak -- nightly`: every test of every tier, with random seeds and every look of the console; first on the
 * embedded database, then on the system's PostgreSQL all tests that use the database under test. On Debian, as root,
 * with the programs that `.ci/run` installs; the end of each run names the tests that it skipped for lack of one.
 * Then every benchmark and every soak in its short form, and the bounds of `npm run figures`. Ends with 1 when one failed.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ROOT } from '../test/support/product.ts';

const TESTS = [process.execPath, join(ROOT, 'test/run.ts'), '--tier', 'nightly'];
const RUNS: Record<string, string[]> = {
  'Every test, on the embedded database': TESTS,
  "Every test that uses the database, on the system's PostgreSQL": [
    join(ROOT, '.ci/with-postgres'),
    ...TESTS,
    '--database-only',
  ],
  'Every benchmark, in its short form': [process.execPath, join(ROOT, 'bench/run.ts'), '--quick'],
  'Every soak, in its short form': [process.execPath, join(ROOT, 'bench/soak.ts'), '--quick'],
  'The bounds of the figures': [process.execPath, join(ROOT, 'bench/run-figures.ts'), '--check'],
};

const failed: string[] = [];
for (const [title, [program = '', ...args]] of Object.entries(RUNS)) {
  console.log(`\n${title}`);
  if (spawnSync(program, args, { cwd: ROOT, stdio: 'inherit' }).status !== 0) failed.push(title);
}
console.log(failed.length ? `\nFailed: ${failed.join('; ')}` : '\nNo faults');
process.exitCode = failed.length ? 1 : 0;
