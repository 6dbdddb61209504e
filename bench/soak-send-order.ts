/** `npm run soak send-order [-- --amount messages]`: order by chat, over many more messages and chats than `npm test` tries. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const messages = process.argv[2] ?? '10000';
const { status } = spawnSync(
  process.execPath,
  [
    join(import.meta.dirname, '../node_modules/vitest/vitest.mjs'),
    'run',
    'src/surfaces/messaging/queue/order.test.ts',
    '-t',
    'in order in each',
  ],
  { stdio: 'inherit', env: { ...process.env, ORDERED_MESSAGES: messages } },
);
process.exitCode = status ?? 1;
