/**
 * Tests that a key, session or role is rejected within a second after its end even if parts fail, and that this needs
 * no query in normal operation. The second is tested with a controlled clock; `npm run soak -- revoke` measures it on a
 * running server.
 */
import { setDatabaseTime } from '../../platform/time/clock.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  onTestFinished,
  test,
  vi,
} from 'vitest';
import { type Database, isConnectionError, openDatabase, openPool } from '../../platform/db/database.ts';
import { toUuid } from '../vocabulary/ids.ts';
import { startDatabaseProxy } from '../../../test/support/database-proxy.ts';
import { startTestApp, startWorkspace, type TestApp } from '../../../test/support/test-app.ts';
import { join } from '../../../test/support/workspaces.ts';
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
  expect(made).toHaveStatus(201);
  return made.body;
}

/** Revokes a key in the database without notifying any node. */
async function revokeInTheDatabase(id: string): Promise<void> {
  await app.database.pool.query(
    'with k as (update api_keys set revoked_at = now() where id = $1) update auth_epoch set epoch = epoch + 1',
    [toUuid('api_key', id)],
  );
}

/** Blocks this process, as a debugger or a full machine does. */
const freeze = (ms: number): void => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
};

describe('by the clock', () => {
  /** Every query that was sent, with the epoch in the database at its start; a test answers it, or does not. */
  let queries: { answer(): void; fail(): void; sentAt: number }[];
  let inDatabase: number;
  let epoch: Epoch;

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
    queries = [];
    inDatabase = 7;
    const execute = () =>
      new Promise((resolve, reject) => {
        const rows = [{ epoch: inDatabase, at: new Date() }];
        queries.push({
          sentAt: performance.now(),
          answer: () => resolve({ rows }),
          fail: () => reject(new Error('Connection terminated')),
        });
      });
    const db = { getExecutor: () => ({ transformQuery: same, compileQuery: same, executeQuery: execute }) };
    epoch = startEpoch(db as unknown as Database, () => undefined);
  });
  afterEach(() => {
    epoch.stop();
    vi.useRealTimers();
    // The readings above went by the fake clock.
    setDatabaseTime(null);
  });
  const same = (value: unknown): unknown => value;
  const settle = () => new Promise((resolve) => setImmediate(resolve));

  test('it is read four times a second', async () => {
    for (let ms = 0; ms < 10_000; ms += 50) {
      vi.advanceTimersByTime(50);
      queries.at(-1)?.answer();
      await settle();
    }
    expect(queries).toHaveLength(40);
    expect(epoch.isCurrent(7)).toBe(true);
  });

  test('nothing is trusted for longer than 600 ms after the last answered reading began', async () => {
    vi.advanceTimersByTime(250);
    vi.advanceTimersByTime(200);
    queries[0]!.answer();
    await settle();
    vi.advanceTimersByTime(399);
    expect(epoch.isCurrent(7)).toBe(true);
    vi.advanceTimersByTime(1);
    expect(epoch.isCurrent(7)).toBe(false);
  });

  test('whatever readings take, fail or hang, nothing counts a second after its end', async () => {
    const reading = fc.record({ ms: fc.integer({ min: 0, max: 2_000 }), fails: fc.boolean() });
    const history = fc.record({
      readings: fc.array(reading, { minLength: 1, maxLength: 12 }),
      raisedAt: fc.integer({ min: 0, max: 3_000 }),
    });
    const step = 10;
    await fc.assert(
      fc.asyncProperty(history, async ({ readings, raisedAt }) => {
        epoch.stop();
        inDatabase += 1;
        const before = inDatabase;
        queries = [];
        epoch = startEpoch(epoch.db, () => undefined);
        const began = performance.now();
        const answered = new Set<object>();
        const trustedAt: number[] = [];
        for (let ms = 0; ms < 5_000; ms += step) {
          vi.advanceTimersByTime(step);
          if (inDatabase === before && performance.now() - began >= raisedAt) inDatabase += 1;
          for (const [n, query] of queries.entries()) {
            const { ms: takes, fails } = readings[n % readings.length]!;
            if (answered.has(query) || performance.now() - query.sentAt < takes) continue;
            answered.add(query);
            if (fails) query.fail();
            else query.answer();
          }
          await settle();
          const since = performance.now() - began - raisedAt;
          if (since >= 1_000 && epoch.isCurrent(before)) trustedAt.push(since);
        }
        expect(trustedAt).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });
});

describe('a guard of its own', () => {
  const cleanups: (() => unknown)[] = [];
  afterEach(async () => {
    for (const clean of cleanups.splice(0).toReversed()) await clean();
  });

  async function startGuard(getEpoch: (real: Epoch) => Epoch = (real) => real) {
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
    const real = startEpoch(openDatabase(control.pool), () => undefined);
    cleanups.push(() => real.stop());
    const guard = createGuard({
      db: openDatabase(requests.pool),
      epoch: getEpoch(real),
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
    // Its readings are never late: a busy machine may hold them up for longer than they are trusted.
    const { requests, ask } = await startGuard((real) => ({ ...real, isCurrent: () => true }));
    const first = ask(secret);
    expect(first).toBeInstanceOf(Promise);
    expect(await first).toMatchObject({ kind: 'api_key' });
    const before = requests.used;
    for (let count = 0; count < 40; count++) {
      for (let more = 0; more < 200; more++) expect(ask(secret)).not.toBeInstanceOf(Promise);
      await sleep(1);
    }
    expect(requests.used).toBe(before);
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
    let actor = await ask(secret);
    await vi.waitFor(async () => {
      actor = await ask(secret);
      expect(guard.isFresh(actor)).toBe(true);
    });
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
    await expect(Promise.resolve(ask(secret))).rejects.toSatisfy(isConnectionError);
    await expect(guard.renew(actor)).rejects.toSatisfy(isConnectionError);
    requests.way = control.way = 'open';
    expect(await ask(secret)).toMatchObject({ kind: 'api_key' });
  });

  test('trusts nothing that ended by the clock, though nobody raised the epoch', async () => {
    const expiry = Date.now() + 3_600_000;
    const { secret } = await makeKey({ preset: 'full', expires_at: new Date(expiry).toISOString() });
    const { guard, ask } = await startGuard((real) => ({ ...real, isCurrent: () => true }));
    const actor = await ask(secret);
    expect(guard.isFresh(actor)).toBe(true);
    onTestFinished(() => setDatabaseTime(null));
    setDatabaseTime(expiry);
    expect(guard.isFresh(actor)).toBe(false);
    await expect((async () => ask(secret))()).rejects.toMatchObject({ code: 'key_expired' });
  });
});

const CALLS_AFTERWARDS = 30;

/**
 * Calls one node continuously, revokes the credentials, and waits until a call that began afterwards is rejected. No
 * later call may succeed.
 */
async function expectEnd(
  call: () => Promise<{ status: number }>,
  end: () => Promise<unknown>,
): Promise<void> {
  expect((await call()).status).toBeLessThan(400);
  let isEnded = false;
  const caller = (async () => {
    while (!isEnded) await call();
  })();
  await end();
  isEnded = true;
  await caller;
  await vi.waitFor(async () => expect((await call()).status).toBeGreaterThanOrEqual(400));
  for (let count = 0; count < CALLS_AFTERWARDS; count++)
    expect((await call()).status).toBeGreaterThanOrEqual(400);
}

describe.concurrent('on another node nothing succeeds any more', () => {
  test('with a key that was revoked', async () => {
    const { id, secret } = await makeKey();
    const revoke = () => home.owner.call(`/api-keys/${id}/revoke`, { workspace: home.workspace, body: {} });
    await expectEnd(() => other.call('/me', { key: secret }), revoke);
  });

  test('though nobody was notified', async () => {
    const { id, secret } = await makeKey();
    await expectEnd(
      () => other.call('/me', { key: secret }),
      () => revokeInTheDatabase(id),
    );
  });

  test('with a scope that was taken away', async () => {
    const { id, secret } = await makeKey({ scopes: ['models:read', 'links:read'] });
    const narrow = () =>
      home.owner.call(`/api-keys/${id}`, {
        workspace: home.workspace,
        method: 'PATCH',
        body: { scopes: ['links:read'] },
      });
    await expectEnd(() => other.call('/models', { key: secret }), narrow);
  });

  test('with the session of a member who was removed, or signed out', async () => {
    const member = await join(app, home, 'admin');
    const read = () =>
      other.call('/members', {
        headers: { cookie: member.cookie, origin: other.base, 'fairlead-workspace': home.workspace },
      });
    const remove = () =>
      home.owner.call(`/members/${member.userId}`, { workspace: home.workspace, method: 'DELETE' });
    await expectEnd(read, remove);
    const me = () => other.call('/me', { headers: { cookie: member.cookie, origin: other.base } });
    const signOut = () =>
      fetch(`${app.base}/api/auth/sign-out`, {
        method: 'POST',
        headers: { cookie: member.cookie, origin: app.base },
      });
    await expectEnd(me, signOut);
  });
});

test('what a key began before it was revoked is not committed long after', async () => {
  const { id, secret } = await makeKey();
  const lock = await app.database.pool.connect();
  await lock.query('begin');
  await lock.query('select 1 from workspaces where id = $1 for update', [
    toUuid('workspace', home.workspace),
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
  expect(await cutOff.call('/me', { key: secret })).toHaveStatus(200);
  await proxy.cut();
  await sleep(TRUSTED_FOR_MS + 50);
  for (let count = 0; count < 20; count++) {
    const { status, body, headers } = await cutOff.call('/me', { key: secret });
    expect([status, body.code, headers.get('retry-after')]).toEqual([503, 'unavailable', '1']);
    await sleep(30);
  }
  expect(await fetch(`${cutOff.base}/healthz`)).toHaveStatus(200);
  // Short links are still followed, from memory.
  const ready = await (await fetch(`${cutOff.base}/readyz`)).json();
  expect(ready).toMatchObject({ status: 'degraded', checks: { database: 'failed' } });
  await proxy.mend();
  await expect.poll(async () => (await cutOff.call('/me', { key: secret })).status).toBe(200);
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
