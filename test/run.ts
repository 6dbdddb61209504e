/**
 * `npm test [files…] [-- -t name]`: all tests, or those whose path holds one of the words given. Ends with the line
 * `N passed, N failed` (and `, N skipped`, with the reasons above it), and with 1 when anything failed, nothing ran,
 * or something was skipped without a reason.
 *
 * TEST_DATABASE_URL: the PostgreSQL server to test on, in place of the embedded one.
 */
import { parseArgs } from 'node:util';
import { startVitest } from 'vitest/node';
import { ensureConsoleBuilt } from '../src/console/build.ts';
import { ensureReferenceBuilt } from '../src/reference/build.ts';
import { Outcome } from './support/outcome.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { testNamePattern: { type: 'string', short: 't' } },
});

// Once, before several tests start servers that would each build them.
const tell = { info: (message: string) => console.log(message) };
await Promise.all([ensureConsoleBuilt(tell), ensureReferenceBuilt(tell)]);

const outcome = new Outcome();
const vitest = await startVitest('test', positionals, {
  run: true,
  watch: false,
  allowOnly: false,
  reporters: ['default', outcome],
  ...values,
});
await vitest.close();

console.log(`\n${outcome.summary()}`);
const sound = outcome.failed === 0 && outcome.passed > 0 && !outcome.skippedSilently;
process.exit(sound ? 0 : 1);
