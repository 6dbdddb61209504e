/**
 * Compiles what a start loads into the cache that src/start.js uses, so that the first start finds it; and what back-up
 * and restore load. A part of `npm install`, which goes on whatever happens here: without the cache a server only starts
 * slower.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { useCompileCache } from '../src/compile-cache.js';

/** What main.ts, and those below it, import when they get there. test/operations/compile-cache.test.ts knows when one is missing. */
const LATER = [
  '../src/primary.ts',
  '../src/server-process.ts',
  '../src/worker.ts',
  '../src/workers.ts',
  '../src/console/build.ts',
  '../src/reference/build.ts',
  '../src/automation/templates/template-worker.ts',
  '../src/db/open.ts',
  '../src/db/embedded/embedded.ts',
  'pg-boss',
  // Commands whose memory counts: they run beside a server.
  '../src/backup/run-backup.ts',
  '../src/backup/run-restore.ts',
];

// main.ts itself starts what it imports, but for its help.
spawnSync(process.execPath, [fileURLToPath(new URL('../src/start.js', import.meta.url)), '--help'], {
  stdio: 'ignore',
});
useCompileCache();
try {
  await Promise.all(LATER.map((name) => import(name)));
} catch (error) {
  console.error(`The server was not compiled ahead, so its first start takes longer: ${error.message}`);
}
process.exit(0); // an end by itself would wait for whatever a module opened
