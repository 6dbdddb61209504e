/** Tests the rate limits of connection checks over HTTP. The tests of each channel cover the checks themselves. */
import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { startTestApp, startWorkspace, type TestApp } from '../../../test/support/test-app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ EGRESS_ALLOW: '127.0.0.1' });
});
afterAll(() => app.stop());

/** Runs checks in sequence, because concurrent checks are limited. @returns HTTP status of each */
async function outcomes(
  many: number,
  check: (nth: number) => Promise<{ status: number }>,
): Promise<number[]> {
  const statuses: number[] = [];
  for (let nth = 0; nth < many; nth += 1) statuses.push((await check(nth)).status);
  return statuses;
}

test('limits each workspace to a burst of 20 checks', async () => {
  const [home, other] = [await startWorkspace(app), await startWorkspace(app)];
  const check = (key: string) =>
    app.call('/channels/sandbox/check', { key, body: { name: 'x', credentials: { password: 'wrong' } } });
  expect(await outcomes(20, () => check(home.key))).toEqual(Array(20).fill(200));
  const refused = await check(home.key);
  expect([refused.status, refused.body.code]).toEqual([429, 'rate_limited']);
  const seconds = Number(refused.headers.get('retry-after'));
  expect([seconds > 0, seconds <= 30]).toEqual([true, true]);
  expect(await check(other.key)).toHaveStatus(200);
});

test('limits each account to 20 checks across workspaces and never shows a server greeting', async () => {
  const server = createServer((socket) =>
    socket.on('error', () => {}).end('SSH-2.0-a secret of the inside\r\n'),
  );
  onTestFinished(() => void server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const at = { host: '127.0.0.1', port, security: 'none' };
  const [one, two] = [await startWorkspace(app), await startWorkspace(app)];
  const check = (key: string, user: string) =>
    app.call('/channels/email/check', {
      key,
      body: {
        settings: { address: 'a@mail.test', imap: at, smtp: at },
        credentials: { user, password: 'guessed' },
      },
    });
  const first = await check(one.key, 'victim');
  expect(first.body).toMatchObject({ ok: false, error: { code: 'connection_lost' } });
  expect(JSON.stringify(first.body)).not.toContain('secret');
  const keys = [one.key, two.key];
  expect(await outcomes(19, (nth) => check(keys[nth % 2]!, 'Victim'))).toEqual(Array(19).fill(200));
  expect(await check(two.key, 'victim')).toHaveStatus(429);
  expect(await check(two.key, 'somebody')).toHaveStatus(200);
});
