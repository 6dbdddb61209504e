/** Tests a lease that is renewed too late and that was not taken over. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { PATIENCE } from '../../../../test/support/patience.ts';
import { type RuleWorld, startRules } from '../../../../test/support/automation/rules.ts';

let world: RuleWorld;
let receiver: Server;
let address: string;
const calls: unknown[] = [];
let brokenOff = 0;
let answers = false;

beforeAll(async () => {
  receiver = createServer((request, response) => {
    calls.push(request.headers['idempotency-key']);
    request.resume();
    response.on('close', () => (brokenOff += response.writableFinished ? 0 : 1));
    if (answers) response.end('{}');
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
  world = await startRules({ EGRESS_ALLOW: '127.0.0.1' });
});
afterAll(async () => {
  receiver.closeAllConnections();
  receiver.close();
  await world.app.stop();
});

test('runs that were broken off when the lease seemed over go on once it is renewed', async () => {
  const rule = await world.rule(['link.created'], [{ type: 'call_webhook', url: address }]);
  await world.link();
  await vi.waitFor(() => expect(calls).toHaveLength(1), PATIENCE);

  // A held row lock delays the renewal, like a database that is slow for seconds.
  const slow = await world.app.database.pool.connect();
  try {
    await slow.query('begin');
    await slow.query('set local idle_in_transaction_session_timeout = 0');
    await slow.query('select from rule_workers for update');
    await vi.waitFor(() => expect(brokenOff).toBe(1), PATIENCE);
    answers = true;
    await slow.query('rollback');
  } finally {
    slow.release();
  }

  const [run] = await world.settled(rule, 1);
  expect(run.status).toBe('succeeded');
  expect(calls).toEqual([calls[0], calls[0]]);
});
