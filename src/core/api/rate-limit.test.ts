/**
 * Tests that at most limit + burst calls pass in any minute, whatever nodes do, and that allowed calls do pass. Time in
 * the store is advanced by changing its rows, so that tests don't wait.
 */
import fc from 'fast-check';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { KeyActor, RateLimit } from '../auth/actor.ts';
import { openDatabase, openPool } from '../../platform/db/database.ts';
import { createTestDatabase, type TestDatabase } from '../../../test/support/db.ts';
import { startTestApp, startWorkspace } from '../../../test/support/test-app.ts';
import { newUuid } from '../../platform/http/ids.ts';
import type { Problem } from '../../platform/http/problem.ts';
import { createRateLimiter, type RateLimiter } from './rate-limit.ts';
import { drawTokens, HELD_AT_MOST_SECONDS } from './rate-limit.system-store.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const actorWith = (rateLimit: RateLimit | null): KeyActor =>
  ({ kind: 'api_key', keyId: newUuid(), rateLimit }) as KeyActor;

/** Lets `seconds` pass for the bucket. */
async function pass(keyId: string, seconds: number): Promise<void> {
  await database.pool.query(
    `update rate_buckets set drawn_at = drawn_at - make_interval(secs => $2),
       holds = coalesce((select jsonb_object_agg(key, jsonb_build_array(value -> 0, (value ->> 1)::float8 - $2))
                         from jsonb_each(holds)), '{}')
     where key_id = $1`,
    [keyId, seconds],
  );
}

const getBucket = async (keyId: string) =>
  (await database.pool.query('select tokens, holds from rate_buckets where key_id = $1', [keyId])).rows[0];

/** Returns how many of `count` concurrent calls pass. */
async function allowed(limiter: RateLimiter, actor: KeyActor, count: number): Promise<number> {
  const takes = Array.from({ length: count }, async () => limiter.take(actor));
  const results = await Promise.allSettled(takes);
  for (const result of results)
    if (result.status === 'rejected') expect((result.reason as Problem).code).toBe('rate_limited');
  return results.filter(({ status }) => status === 'fulfilled').length;
}

describe('the bucket', () => {
  const step = fc.record({
    node: fc.constantFrom('a', 'b', 'c'),
    seconds: fc.oneof(
      fc.double({ min: 0, max: 0.4, noNaN: true }),
      fc.double({ min: 0, max: 4, noNaN: true }),
    ),
    needed: fc.nat(6),
    ahead: fc.nat(5),
    /** Share of its hold that a node spends before its next draw; a dead one never returns. */
    spends: fc.nat(6),
    /** Whether it draws, or only spends. */
    draws: fc.boolean(),
    dies: fc.boolean(),
  });

  test(
    'passes at most burst + rate × time in any stretch of time, whatever nodes hold, forget or take to the grave',
    { timeout: 240_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.constantFrom({ limit: 30, burst: 5 }, { limit: 600, burst: 10 }, { limit: 300, burst: 4 }),
          fc.array(step, { minLength: 20, maxLength: 60 }),
          async (rate, steps) => {
            const keyId = newUuid();
            const holds = new Map<string, { tokens: number; drawnAt: number }>();
            /** Each spending lies somewhere between `after` and `before`, in seconds. */
            const spent: { after: number; before: number; count: number }[] = [];
            let passed = 0;
            const now = () => passed + performance.now() / 1000;
            for (const { node, seconds, needed, ahead, spends, draws, dies } of steps) {
              await pass(keyId, seconds);
              passed += seconds;
              const held = holds.get(node);
              if (held && now() - held.drawnAt < 1) {
                const count = Math.min(spends, held.tokens);
                spent.push({ after: now(), before: now(), count });
                held.tokens -= count;
              }
              if (!draws) continue;
              const after = now();
              const draw = { node, needed, ahead, unused: held?.tokens ?? 0 };
              const { granted } = await drawTokens(database.db, keyId, rate, draw);
              spent.push({ after, before: now(), count: Math.min(granted, needed) });
              if (dies) holds.delete(node);
              else holds.set(node, { tokens: Math.max(0, granted - needed), drawnAt: after });
            }
            for (const [first, { after }] of spent.entries()) {
              let total = 0;
              for (const { before, count } of spent.slice(first)) {
                total += count;
                expect(total).toBeLessThanOrEqual(rate.burst + ((before - after) * rate.limit) / 60 + 1e-6);
              }
            }
          },
        ),
        // Shrinking may take longer than the test's timeout, so the smallest example so far is reported.
        {
          numRuns: Number(process.env.RATE_RUNS ?? 15),
          interruptAfterTimeLimit: 120_000,
          markInterruptAsFailure: true,
        },
      );
    },
  );

  test('refills only up to the burst less what is held', async () => {
    const keyId = newUuid();
    const rate = { limit: 600, burst: 10 };
    const draw = (node: string, needed: number, ahead: number) =>
      drawTokens(database.db, keyId, rate, { node, needed, ahead, unused: 0 });
    expect((await draw('a', 0, 4)).granted).toBe(4);
    await pass(keyId, 0.9);
    expect((await draw('b', 10, 0)).granted).toBe(6);
    await pass(keyId, 0.7);
    expect((await draw('b', 10, 0)).granted).toBeGreaterThanOrEqual(7);
  });

  test('fills as if what a node holds were unspent, until that is settled or forgotten', async () => {
    const rate = { limit: 60, burst: 8 };
    const keyId = newUuid();
    const draw = (needed: number, ahead: number) =>
      drawTokens(database.db, keyId, rate, { node: 'a', needed, ahead, unused: 0 });
    expect((await draw(0, 2)).granted).toBe(2);
    await pass(keyId, 1);
    // Both were spent a moment ago.
    expect((await draw(8, 0)).granted).toBe(6);
    await pass(keyId, 8);
    expect((await draw(0, 2)).granted).toBe(2);
    await pass(keyId, HELD_AT_MOST_SECONDS + 0.2);
    expect((await draw(8, 0)).granted).toBe(6);
  });

  test('forgets what a dead node held, though others draw all the time', async () => {
    const rate = { limit: 600, burst: 40 };
    const keyId = newUuid();
    const draw = (node: string, needed: number, ahead: number) =>
      drawTokens(database.db, keyId, rate, { node, needed, ahead, unused: 0 });
    expect((await draw('dies', 0, 40)).granted).toBe(40);
    let max = 0;
    for (let passed = 0; passed < HELD_AT_MOST_SECONDS + 5; passed += 0.25) {
      const { granted } = await draw('lives', 0, 0);
      expect(granted).toBe(0);
      max = Math.max(max, (await draw('lives', 0, 0)).left);
      await pass(keyId, 0.25);
    }
    expect((await draw('lives', 40, 0)).granted).toBe(40);
    expect(max).toBeLessThanOrEqual(40);
  });

  test('takes back what was not used, once, and only while it still counts it', async () => {
    const rate = { limit: 1, burst: 20 };
    const keyId = newUuid();
    const draw = (needed: number, ahead: number, unused: number) =>
      drawTokens(database.db, keyId, rate, { node: 'a', needed, ahead, unused });
    expect((await draw(2, 10, 0)).left).toBeCloseTo(8, 0);
    expect((await draw(0, 0, 9)).left).toBeCloseTo(17, 0);
    expect((await draw(0, 0, 9)).left).toBeCloseTo(17, 0);
    expect((await draw(0, 10, 0)).left).toBeCloseTo(7, 0);
    await pass(keyId, 2);
    expect((await draw(0, 0, 10)).left).toBeCloseTo(7, 0);
    expect((await getBucket(keyId)).holds).toEqual({});
  });

  test('never gives back more than was drawn', async () => {
    const keyId = newUuid();
    const rate = { limit: 1, burst: 20 };
    const draw = (needed: number, ahead: number, unused: number) =>
      drawTokens(database.db, keyId, rate, { node: 'a', needed, ahead, unused });
    await draw(15, 2, 0);
    expect((await draw(0, 0, 1_000)).left).toBeCloseTo(5, 0);
  });
});

describe('one node', () => {
  test('lets the burst through, then refuses with the seconds to wait, then goes on at the rate', async () => {
    const limiter = createRateLimiter(database.db);
    const actor = actorWith({ limit: 600, burst: 20 });
    expect(await allowed(limiter, actor, 50)).toBe(20);
    const refused = await Promise.resolve()
      .then(() => limiter.take(actor))
      .catch((error: unknown) => error as Problem);
    expect(refused).toMatchObject({
      code: 'rate_limited',
      headers: {
        'retry-after': '2',
        'ratelimit-policy': '"default";q=600;w=60;burst=20',
        ratelimit: expect.stringMatching(/^"default";r=0;t=2$/),
      },
    });
    await sleep(550);
    const more = await allowed(limiter, actor, 50);
    expect(more).toBeGreaterThanOrEqual(4);
    expect(more).toBeLessThanOrEqual(12);
    await limiter.stop();
  });

  test('tells each refused caller when there is a token for it', async () => {
    const limiter = createRateLimiter(database.db);
    const actor = actorWith({ limit: 6, burst: 5 });
    const getSeconds = async (): Promise<number> => {
      const refused = await Promise.resolve()
        .then(() => limiter.take(actor))
        .then(() => null)
        .catch((error: unknown) => error as Problem);
      return refused === null ? 0 : Number(refused.headers['retry-after']);
    };
    const [first, ...others] = await Promise.all(Array.from({ length: 12 }, getSeconds)).then((all) =>
      all.slice(5),
    );
    // One token every ten seconds, minus the tokens that the calls used.
    const expected = [10, 20, 30, 40, 50, 50, 50];
    for (const [nth, retryAfter] of [first!, ...others].entries()) {
      expect(retryAfter).toBeLessThanOrEqual(expected[nth]!);
      expect(retryAfter).toBeGreaterThan(expected[nth]! - 4);
    }
    await limiter.stop();
  });

  test('tells how long a slow key must wait', async () => {
    const limiter = createRateLimiter(database.db);
    const actor = actorWith({ limit: 2, burst: 1 });
    expect(await allowed(limiter, actor, 1)).toBe(1);
    await expect(Promise.resolve().then(() => limiter.take(actor))).rejects.toMatchObject({
      headers: { 'retry-after': expect.stringMatching(/^(29|30)$/) },
    });
    await limiter.stop();
  });

  test('asks nothing of the database for a key without a limit, nor for each call', async () => {
    const pool = openPool({ ...database.connection, max: 2 }, () => {});
    let queries = 0;
    pool.on('acquire', () => queries++);
    const limiter = createRateLimiter(openDatabase(pool));
    for (let count = 0; count < 100; count++) expect(limiter.take(actorWith(null))).toBe(true);
    expect(queries).toBe(0);
    expect(limiter.headers(actorWith(null))).toEqual({});
    const actor = actorWith({ limit: 6000, burst: 1000 });
    for (let count = 0; count < 100; count++) await limiter.take(actor);
    expect(queries).toBeLessThanOrEqual(6);
    await limiter.stop();
    await pool.end();
  });

  test('gives back what it holds when it stops, and when nobody calls', async () => {
    const stopped = actorWith({ limit: 600, burst: 100 });
    const first = createRateLimiter(database.db, 'first');
    await first.take(stopped);
    expect((await getBucket(stopped.keyId)).holds).toEqual({ first: [10, expect.any(Number)] });
    await first.stop();
    const { tokens, holds } = await getBucket(stopped.keyId);
    expect(tokens).toBeGreaterThanOrEqual(99);
    expect(holds).toEqual({});

    const idle = actorWith({ limit: 600, burst: 100 });
    const second = createRateLimiter(database.db);
    await second.take(idle);
    await expect.poll(async () => (await getBucket(idle.keyId)).holds).toEqual({});
    await second.stop();
  });

  test('a database that is away fails the call, and is asked again by the next', async () => {
    const pool = openPool({ ...database.connection, max: 2 }, () => {});
    const connect = pool.connect.bind(pool);
    let down = true;
    pool.connect = (() => (down ? Promise.reject(new Error('away')) : connect())) as typeof pool.connect;
    const limiter = createRateLimiter(openDatabase(pool));
    const actor = actorWith({ limit: 600, burst: 10 });
    const takes = Array.from({ length: 3 }, async () => limiter.take(actor));
    for (const result of await Promise.allSettled(takes))
      expect(result).toEqual({ status: 'rejected', reason: new Error('away') });
    down = false;
    expect(await allowed(limiter, actor, 1)).toBe(1);
    await limiter.stop();
    await pool.end();
  });

  test('forgets keys that nobody uses', async () => {
    const pool = openPool({ ...database.connection, max: 2 }, () => {});
    let queries = 0;
    pool.on('acquire', () => queries++);
    const limiter = createRateLimiter(openDatabase(pool));
    const actor = actorWith({ limit: 60, burst: 4 });
    await limiter.take(actor);
    await sleep(1_600);
    const before = queries;
    await sleep(600);
    expect(queries).toBe(before);
    await limiter.stop();
    await pool.end();
  });
});

describe('two nodes', () => {
  test('share one bucket, and neither starves', async () => {
    const nodes = [createRateLimiter(database.db), createRateLimiter(database.db)];
    const rate = { limit: 1_200, burst: 30 };
    const actor = actorWith(rate);
    const passed = [0, 0];
    const startedAt = performance.now();
    const isServed = (): boolean => Math.min(...passed) >= 5 && passed[0]! + passed[1]! >= 50;
    const callers = [0, 1, 0, 1].map(async (index) => {
      while (!isServed()) {
        passed[index]! += await allowed(nodes[index]!, actor, 5);
        await sleep(5);
      }
    });
    await Promise.all(callers);
    const seconds = (performance.now() - startedAt) / 1000;
    expect(passed[0]! + passed[1]!).toBeLessThanOrEqual(rate.burst + (rate.limit / 60) * seconds);
    await Promise.all(nodes.map((node) => node.stop()));
  });

  test('through HTTP: 429 with its headers on both; another key is not touched', async () => {
    const app = await startTestApp();
    const second = await startTestApp({}, app);
    const home = await startWorkspace(app, { scopes: ['models:read'], rate_limit: { limit: 1, burst: 4 } });
    const other = await home.owner.call('/api-keys', {
      workspace: home.workspace,
      body: { name: 'o', preset: 'full' },
    });
    const answers = [];
    for (let count = 0; count < 8; count++)
      answers.push(await [app, second][count % 2]!.call('/models', { key: home.key }));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(4);
    for (const { status, headers, body } of answers) {
      expect(headers.get('ratelimit-policy')).toBe('"default";q=1;w=60;burst=4');
      expect(headers.get('ratelimit')).toMatch(/^"default";r=\d+;t=\d+$/);
      if (status === 200) continue;
      expect([status, body.code]).toEqual([429, 'rate_limited']);
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    }
    expect(await app.call('/models', { key: other.body.secret })).toHaveStatus(200);
    await second.stop();
    await app.stop();
  });
});
