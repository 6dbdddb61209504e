/**
 * `npm run test:react [words…] [-- -t name]`: runs the browser tests on the console with React in the place of Preact, and
 * builds it with Preact again. What fails on both is a fault of the console; what fails on Preact alone is missing in
 * web/preact.ts.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { CONSOLE, ensureBuilt, ROOT } from '../scripts/build/bundles.js';
import { HASH_FILE } from '../scripts/build/source-hash.js';
import { buildOnReact } from './support/react-build.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { testNamePattern: { type: 'string', short: 't' } },
});
const files = positionals.length ? positionals.map((word) => `test/browser/${word}`) : ['test/browser'];
const named = values.testNamePattern === undefined ? [] : ['-t', values.testNamePattern];
// Ends only after the console is built with Preact again; the tests end at the same signal of a terminal.
process.on('SIGINT', () => undefined);
try {
  await buildOnReact(CONSOLE.output);
  const run = spawn(process.execPath, [join(ROOT, 'test/run.ts'), ...named, ...files], { stdio: 'inherit' });
  process.on('SIGTERM', () => run.kill());
  const [code] = await once(run, 'exit');
  process.exitCode = code ?? 1;
} finally {
  await rm(join(CONSOLE.output, HASH_FILE), { force: true });
  await ensureBuilt(CONSOLE, console);
}
