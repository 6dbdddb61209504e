/** `npm run soak delivery-order [-- --amount events]`: order by resource, over many more events than `npm test` tries. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const events = process.argv[2] ?? '10000';
const { status } = spawnSync(
  process.execPath,
  [
    join(import.meta.dirname, '../node_modules/vitest/vitest.mjs'),
    'run',
    'src/core/webhooks/delivery/several-workers.test.ts',
    '-t',
    'per_resource',
  ],
  { stdio: 'inherit', env: { ...process.env, ORDERED_EVENTS: events } },
);
process.exitCode = status ?? 1;
