import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, startWorkspace, type TestApp } from '../../../test/support/test-app.ts';
import type { Database } from '../../platform/db/database.ts';
import { createEpochCache } from './epoch-cache.ts';
import { type Epoch, TRUSTED_FOR_MS } from './epoch.ts';
import { FLUSH_EVERY_MS } from './key-usage.ts';

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ TRUST_PROXY: '127.0.0.1,::1' });
});
afterAll(() => app.stop());

const from = (address: string) => ({ 'x-forwarded-for': address });

test('more writes that raise the epoch than there are connections do not wait for each other', async () => {
  const { owner, workspace } = await startWorkspace(app);
  const made = await Promise.all(
    Array.from({ length: 40 }, (_, n) =>
      owner.call('/api-keys', { workspace, body: { name: `key ${n}`, preset: 'links' } }),
    ),
  );
  const changed = await Promise.all(
    made.map(({ body }) =>
      owner.call(`/api-keys/${body.id}`, { workspace, method: 'PATCH', body: { name: 'renamed' } }),
    ),
  );
  expect(changed.map(({ status }) => status)).toEqual(made.map(() => 200));
});

test('a secret in its overlap gives nothing that outlives it, and takes nothing over', async () => {
  const scopes = ['api_keys:read', 'api_keys:write', 'links:read'];
  const { owner, workspace, key, keyId } = await startWorkspace(app, { scopes });
  const rotated = await owner.call(`/api-keys/${keyId}/rotate`, { workspace, body: { overlap_seconds: 60 } });
  const ends = Date.parse((await app.call('/me', { key })).body.expires_at);
  expect(ends).toBeGreaterThan(Date.now());
  expect(ends).toBeLessThanOrEqual(Date.now() + 60_000);

  const child = { name: 'child', scopes: ['links:read'], rate_limit: null };
  const refusals = [
    await app.call('/api-keys', { key, body: child }),
    await app.call(`/api-keys/${keyId}/rotate`, { key, body: {} }),
    await app.call(`/api-keys/${keyId}`, { key, method: 'PATCH', body: { name: 'mine' } }),
  ];
  expect(refusals.map(({ status, body }) => [status, body.code])).toEqual(
    refusals.map(() => [403, 'escalation']),
  );
  expect(await app.call('/api-keys', { key: rotated.body.secret, body: child })).toHaveStatus(201);
});

test('a program with a broken key does not lock out the good keys of its address', async () => {
  const { key } = await startWorkspace(app);
  const headers = from('198.51.100.9');
  for (let n = 0; n < 70; n++) await app.call('/me', { key: 'fl_broken', headers });
  expect(await app.call('/me', { key, headers })).toHaveStatus(200);
});

test('an address that is none keeps no other key from its last use', async () => {
  const [strange, usual] = [await startWorkspace(app), await startWorkspace(app)];
  for (let n = 0; n < 3; n++) {
    await app.call('/me', { key: strange.key, headers: from('not an address') });
    await app.call('/me', { key: usual.key, headers: from('203.0.113.6') });
  }
  await sleep(FLUSH_EVERY_MS * 2);
  const lastUse = async ({ owner, workspace, keyId }: typeof usual) => {
    const { body } = await owner.call(`/api-keys/${keyId}`, { workspace });
    return [body.last_used_at !== null, body.last_used_ip];
  };
  expect(await lastUse(usual)).toEqual([true, '203.0.113.6']);
  expect(await lastUse(strange)).toEqual([true, null]);
});

test('a session that was prolonged goes on, though nothing else changed', async () => {
  const person = await app.signUp();
  const ends = (seconds: number) =>
    app.database.pool.query(
      `update sessions set expires_at = now() + make_interval(secs => $1)
       where user_id = (select id from users where email = $2)`,
      [seconds, person.email],
    );
  await ends(2);
  await sleep(700); // until every process knows
  expect(await person.call('/me')).toHaveStatus(200);
  await ends(600);
  await sleep(1_600);
  expect(await person.call('/me')).toHaveStatus(200);
});

test('a stream ends when its key is bound to other addresses', async () => {
  const { owner, workspace, key, keyId } = await startWorkspace(app);
  const stream = await fetch(`${app.base}/api/v1/events/stream`, {
    headers: { authorization: `Bearer ${key}`, ...from('203.0.113.7') },
  });
  const ended = stream.text().then(() => 'ended');
  await owner.call(`/api-keys/${keyId}`, {
    workspace,
    method: 'PATCH',
    body: { allowed_ips: ['192.0.2.0/24'] },
  });
  expect(await ended).toBe('ended');
});

test('a reading from before the process was frozen is not shared with who asks after', async () => {
  const epoch = { isCurrent: () => false, observe: () => undefined, db: {} } as unknown as Epoch;
  const waiting: ((value: { epoch: number }) => void)[] = [];
  const cache = createEpochCache(
    epoch,
    {} as Database,
    () => new Promise<{ epoch: number }>((resolve) => waiting.push(resolve)),
  );
  const before = cache.reload('a');
  const together = cache.reload('a');
  await sleep(TRUSTED_FOR_MS + 50);
  const after = cache.reload('a');
  expect(waiting).toHaveLength(2);
  waiting[0]!({ epoch: 1 });
  waiting[1]!({ epoch: 2 });
  expect(await Promise.all([before, together, after])).toEqual([{ epoch: 1 }, { epoch: 1 }, { epoch: 2 }]);
});
