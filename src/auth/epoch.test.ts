/**
 * How long a key, session or role counts after it was ended: never a second, whatever is broken; and what knowing it
 * costs while all is well: no question to the database.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { openDatabase, openPool } from '../db/database.ts';
import { uuidOf } from '../http/ids.ts';
import { startDatabaseProxy } from '../testing/database-proxy.ts';
import { startTestApp, startWorkspace, type TestApp } from '../testing/test-app.ts';
import { join } from '../workspaces/testing.ts';
import { createEpochCache } from './epoch-cache.ts';
import { type Epoch, startEpoch, TRUSTED_FOR_MS } from './epoch.ts';
import { createFailureLimiter } from './failure-limiter.ts';
import { createGuard } from './guard.ts';

let app: TestApp;
let other: TestApp;
let home: Awaited<ReturnType<typeof startWorkspace>>;

beforeAll(async () => {
  app = await startTestApp();
  other = await startTestApp({}, app);
  home = await startWorkspace(app);
});
afterAll(async () => {
  await other.stop();
  await app.stop();
});

async function makeKey(body: object = { preset: 'full' }): Promise<{ id: string; secret: string }> {
  const made = await home.owner.call('/api-keys', {
    workspace: home.workspace,
    body: { name: 'k', rate_limit: null, ...body },
  });
  expect(made.status).toBe(201);
  return made.body;
}

/** As a revocation does it, but nobody is notified. */
async function revokeInTheDatabase(id: string): Promise<void> {
  await app.database.pool.query(
    'with k as (update api_keys set revoked_at = now() where id = $1) update auth_epoch set epoch = epoch + 1',
    [uuidOf('api_key', id)],
  );
}

/** Blocks this process, as a debugger or a full machine does. */
const freeze = (ms: number): void => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
};

describe('a guard of its own', () => {
  const cleanups: (() => unknown)[] = [];
  afterEach(async () => {
    for (const clean of cleanups.splice(0).toReversed()) await clean();
  });

  async function startGuard() {
    const open = () => {
      const pool = openPool({ ...app.database.connection, max: 2 }, () => {});
      const connect = pool.connect.bind(pool);
      const state = { pool, used: 0, way: 'open' as 'open' | 'cut' | 'hangs' };
      const hang = new Promise<never>(() => undefined);
      pool.connect = (() => {
        state.used++;
        if (state.way === 'cut') return Promise.reject(new Error('Connection terminated'));
        return state.way === 'hangs' ? hang : connect();
      }) as typeof pool.connect;
      cleanups.push(() => pool.end());
      return state;
    };
    const [requests, control] = [open(), open()];
    const epoch = startEpoch(openDatabase(control.pool), () => undefined);
    cleanups.push(() => epoch.stop());
    const guard = createGuard({
      db: openDatabase(requests.pool),
      epoch,
      sessions: { readToken: () => null, find: async () => null },
      failures: createFailureLimiter(),
    });
    const connection = {};
    const ask = (secret: string) =>
      guard.authenticate({
        authorization: `Bearer ${secret}`,
        cookie: undefined,
        workspace: undefined,
        origin: undefined,
        fetchSite: undefined,
        connection,
        ip: '127.0.0.1',
        isWrite: false,
        ownOrigin: () => app.base,
      });
    return { requests, control, guard, ask };
  }

  test('asks nothing while it is warm', async () => {
    const { secret } = await makeKey();
    const { requests, control, ask } = await startGuard();
    const first = ask(secret);
    expect(first).toBeInstanceOf(Promise);
    expect(await first).toMatchObject({ kind: 'api_key' });
    const before = requests.used;
    const polls = control.used;
    for (let count = 0; count < 40; count++) {
      for (let more = 0; more < 200; more++) expect(ask(secret)).not.toBeInstanceOf(Promise);
      await sleep(20);
    }
    expect(requests.used).toBe(before);
    expect(control.used - polls).toBeLessThanOrEqual(6);
  });

  test('looks again itself when the epoch is not told in time, and sees what ended', async () => {
    const { id, secret } = await makeKey();
    const { requests, control, ask } = await startGuard();
    await ask(secret);
    control.way = 'hangs';
    await sleep(TRUSTED_FOR_MS + 100);
    const before = requests.used;
    expect(await ask(secret)).toMatchObject({ kind: 'api_key' });
    expect(requests.used).toBeGreaterThan(before);
    await revokeInTheDatabase(id);
    await sleep(TRUSTED_FOR_MS + 50);
    await expect(Promise.resolve(ask(secret))).rejects.toMatchObject({ code: 'key_revoked' });
  });

  test('trusts nothing after it was frozen', async () => {
    const { secret } = await makeKey();
    const { guard, ask } = await startGuard();
    const actor = await ask(secret);
    expect(guard.isFresh(actor)).toBe(true);
    freeze(TRUSTED_FOR_MS + 20);
    expect(guard.isFresh(actor)).toBe(false);
    const again = ask(secret);
    expect(again).toBeInstanceOf(Promise);
    expect(await again).toMatchObject({ kind: 'api_key' });
  });

  test('lets nobody in without a database, and is itself again with it', async () => {
    const { secret } = await makeKey();
    const { requests, control, guard, ask } = await startGuard();
    const actor = await ask(secret);
    requests.way = control.way = 'cut';
    await sleep(TRUSTED_FOR_MS + 50);
    await expect(Promise.resolve(ask(secret))).rejects.toThrow('Connection terminated');
    await expect(guard.renew(actor)).rejects.toThrow('Connection terminated');
    requests.way = control.way = 'open';
    expect(await ask(secret)).toMatchObject({ kind: 'api_key' });
  });

  test('trusts nothing that ended by the clock, though nobody raised the epoch', async () => {
    const { secret } = await makeKey({
      preset: 'full',
      expires_at: new Date(Date.now() + 700).toISOString(),
    });
    const { guard, ask } = await startGuard();
    const actor = await ask(secret);
    await sleep(750);
    expect(guard.isFresh(actor)).toBe(false);
    await expect((async () => ask(secret))()).rejects.toMatchObject({ code: 'key_expired' });
  });
});

/** Calls one node all the time. @returns how long after `end()` was answered the last call that succeeded began, in ms */
async function lastSuccess(
  call: () => Promise<{ status: number }>,
  end: () => Promise<unknown>,
): Promise<number> {
  let last = 0;
  let going = true;
  const callers = Array.from({ length: 3 }, async () => {
    while (going) {
      const began = performance.now();
      const { status } = await call();
      if (status < 400) last = Math.max(last, began);
      await sleep(5);
    }
  });
  try {
    while (last === 0) await sleep(10);
    await end();
    const ended = performance.now();
    await sleep(1_600);
    return last - ended;
  } finally {
    going = false;
    await Promise.all(callers);
  }
}

describe.concurrent('on another node nothing succeeds a second later', () => {
  test('with a key that was revoked', async () => {
    const { id, secret } = await makeKey();
    const revoke = () => home.owner.call(`/api-keys/${id}/revoke`, { workspace: home.workspace, body: {} });
    expect(await lastSuccess(() => other.call('/me', { key: secret }), revoke)).toBeLessThan(1_000);
  });

  test('though nobody was notified', async () => {
    const { id, secret } = await makeKey();
    expect(
      await lastSuccess(
        () => other.call('/me', { key: secret }),
        () => revokeInTheDatabase(id),
      ),
    ).toBeLessThan(1_000);
  });

  test('with a scope that was taken away', async () => {
    const { id, secret } = await makeKey({ scopes: ['models:read', 'links:read'] });
    const narrow = () =>
      home.owner.call(`/api-keys/${id}`, {
        workspace: home.workspace,
        method: 'PATCH',
        body: { scopes: ['links:read'] },
      });
    expect(await lastSuccess(() => other.call('/models', { key: secret }), narrow)).toBeLessThan(1_000);
  });

  test('with the session of a member who was removed, or signed out', async () => {
    const member = await join(app, home, 'admin');
    const read = () =>
      other.call('/members', {
        headers: { cookie: member.cookie, origin: other.base, 'fairlead-workspace': home.workspace },
      });
    const remove = () =>
      home.owner.call(`/members/${member.userId}`, { workspace: home.workspace, method: 'DELETE' });
    expect(await lastSuccess(read, remove)).toBeLessThan(1_000);
    const me = () => other.call('/me', { headers: { cookie: member.cookie, origin: other.base } });
    const signOut = () =>
      fetch(`${app.base}/api/auth/sign-out`, {
        method: 'POST',
        headers: { cookie: member.cookie, origin: app.base },
      });
    expect(await lastSuccess(me, signOut)).toBeLessThan(1_000);
  });
});

test('what a key began before it was revoked is not committed long after', async () => {
  const { id, secret } = await makeKey();
  const lock = await app.database.pool.connect();
  await lock.query('begin');
  await lock.query('select 1 from workspaces where id = $1 for update', [
    uuidOf('workspace', home.workspace),
  ]);
  const late = other.call(`/workspaces/${home.workspace}`, {
    key: secret,
    method: 'PATCH',
    body: { name: 'Too late' },
  });
  await sleep(100);
  await revokeInTheDatabase(id);
  await sleep(TRUSTED_FOR_MS);
  await lock.query('commit');
  lock.release();
  const { status, body } = await late;
  expect([status, body.code]).toEqual([401, 'key_revoked']);
  const { body: now } = await home.owner.call(`/workspaces/${home.workspace}`, { workspace: home.workspace });
  expect(now.name).not.toBe('Too late');
});

test('without a database the answer is 503, never a success, and all is well once it is back', async () => {
  const proxy = await startDatabaseProxy(app.database.connection);
  const database = { ...app.database, connection: proxy.connection };
  const cutOff = await startTestApp({}, { ...app, database });
  const { secret } = await makeKey();
  expect((await cutOff.call('/me', { key: secret })).status).toBe(200);
  await proxy.cut();
  await sleep(TRUSTED_FOR_MS + 50);
  for (let count = 0; count < 20; count++) {
    const { status, body, headers } = await cutOff.call('/me', { key: secret });
    expect([status, body.code, headers.get('retry-after')]).toEqual([503, 'unavailable', '1']);
    await sleep(30);
  }
  expect((await fetch(`${cutOff.base}/healthz`)).status).toBe(200);
  // Short links are still followed, from memory.
  const ready = await (await fetch(`${cutOff.base}/readyz`)).json();
  expect(ready).toMatchObject({ status: 'degraded', checks: { database: 'failed' } });
  await proxy.mend();
  await expect
    .poll(async () => (await cutOff.call('/me', { key: secret })).status, { timeout: 5_000 })
    .toBe(200);
  await cutOff.stop();
  await proxy.stop();
});

test('the cache is bounded, and forgets the oldest first', async () => {
  const epoch = { isCurrent: () => true, observe: () => undefined } as unknown as Epoch;
  const cache = createEpochCache(
    epoch,
    {} as never,
    async (_db, key) => (key === 'none' ? null : { epoch: 1 }),
    3,
  );
  for (const key of ['a', 'b', 'c', 'none', 'd']) await cache.load(key);
  expect(['a', 'b', 'c', 'd', 'none'].map((key) => cache.has(key))).toEqual([false, true, true, true, false]);
});
