/**
 * `npm run test:react [words…]`: runs the browser tests on the console with React in the place of Preact, and builds it with
 * Preact again. What fails on both is a fault of the console; what fails on Preact alone is missing in web/preact.ts.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CONSOLE, ensureBuilt, ROOT } from '../scripts/build/bundles.js';
import { HASH_FILE } from '../scripts/build/source-hash.js';

const words = process.argv.slice(2);
// Ends only after the console is built with Preact again; the tests end at the same signal of a terminal.
process.on('SIGINT', () => undefined);
try {
  await promisify(execFile)(process.execPath, [...CONSOLE.build(CONSOLE.output), '--mode', 'react'], {
    cwd: ROOT,
    env: { ...process.env, NODE_ENV: 'production' },
  });
  const files = words.length ? words.map((word) => `test/browser/${word}`) : ['test/browser'];
  const run = spawn(process.execPath, [join(ROOT, 'test/run.ts'), ...files], { stdio: 'inherit' });
  process.on('SIGTERM', () => run.kill());
  const [code] = await once(run, 'exit');
  process.exitCode = code ?? 1;
} finally {
  await rm(join(CONSOLE.output, HASH_FILE), { force: true });
  await ensureBuilt(CONSOLE, console);
}
