import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { Registry } from 'prom-client';
import { PATIENCE } from '../../../../test/support/patience.ts';
import {
  admitMany,
  type LedgerHome,
  openLedger,
  RESULT,
  SILENT,
  startLedgerHome,
} from '../../../../test/support/models/ledger-world.ts';
import { unitsFor } from '../../../../test/support/events/outbox.ts';
import { startTestApp, type TestApp } from '../../../../test/support/test-app.ts';
import { getEvents } from '../../../../test/support/workspaces.ts';
import type { Problem } from '../../../platform/http/problem.ts';
import { toUuid } from '../../../core/vocabulary/ids.ts';
import type { OpenCall } from '../contract/call-ledger.ts';
import { sweepCalls } from './call-sweeper.ts';
import { createCallLedger } from './ledger.ts';
import type { Ledger } from '../contract/call-ledger.ts';
import { renewLeases } from './open-calls.system-store.ts';

let app: TestApp;
/** Another process on the same database. */
let other: TestApp;
let ledger: Ledger;
let otherLedger: Ledger;
let startHome: () => Promise<LedgerHome>;
beforeAll(async () => {
  app = await startTestApp();
  other = await startTestApp({}, app);
  ledger = openLedger(app);
  otherLedger = openLedger(other);
  startHome = () => startLedgerHome(app);
});
afterAll(async () => {
  await other.stop();
  await app.stop();
});

const getProblem = (admission: Promise<OpenCall>): Promise<Problem> =>
  admission.then(
    () => Promise.reject(new Error('admitted')),
    (error: Problem) => error,
  );

describe('admission', () => {
  test('of 200 calls at once by two processes lets 10 pass on a budget of 10', async () => {
    const home = await startHome();
    const { id } = await home.addBudget({ limit: { calls: 10 } });
    const { admitted, problems } = await admitMany(
      Array.from({ length: 200 }, (_, n) => [n % 2 ? ledger : otherLedger, home.newCall()]),
    );
    expect([admitted.length, problems.length]).toEqual([10, 190]);
    expect(new Set(problems.map(({ status, code }) => `${status} ${code}`))).toEqual(
      new Set(['402 budget_exceeded']),
    );
    expect(await home.budget(id)).toMatchObject({ used: 0, reserved: 10, remaining: 0 });
    expect(await home.rows('model_open_calls')).toHaveLength(10);
    for (const call of admitted)
      await Promise.all([ledger.complete(call, RESULT), otherLedger.complete(call, RESULT)]);
    expect(await home.budget(id)).toMatchObject({ used: 10, reserved: 0, remaining: 0 });
    expect(await home.rows('model_calls')).toHaveLength(10);
    const [stats] = await home.rows('model_call_stats');
    expect(stats).toMatchObject({
      calls: 10,
      failures: 0,
      input_tokens: 200,
      output_tokens: 100,
      cost: 2_500_000,
    });
    expect((await getProblem(ledger.admit(home.newCall()))).code).toBe('budget_exceeded');
  });

  test('names the budget and when it resets', async () => {
    const home = await startHome();
    await home.addBudget({ limit: { calls: 1_000 }, name: 'large' });
    const day = await home.addBudget({ limit: { tokens: 99 }, name: 'small' });
    const problem = await getProblem(ledger.admit(home.newCall()));
    expect(problem.message).toContain('"small" has 99 of 99 tokens left, and the call could use 100 tokens');
    expect(problem.message).toMatch(/ It resets at \S+\. Lower max_tokens, or raise the budget\.$/);
    expect(problem.members).toEqual({ resets_at: day.resets_at, budget_id: day.id });
    const total = await home.addBudget({ limit: { tokens: 0 }, window: 'total' });
    expect((await getProblem(ledger.admit(home.newCall()))).members).toEqual({
      resets_at: null,
      budget_id: total.id,
    });
    expect(await home.rows('model_open_calls')).toHaveLength(0);
  });

  test('reserves in all budgets that apply, or in none', async () => {
    const home = await startHome();
    const { keyId } = await home.owner
      .call('/api-keys', { workspace: home.workspace, body: { name: 'other', preset: 'full' } })
      .then(({ body }) => ({ keyId: body.id as string }));
    const all = await home.addBudget({ limit: { calls: 5 } });
    const own = await home.addBudget({ limit: { tokens: 150 }, api_key_id: home.keyId });
    const foreign = await home.addBudget({ limit: { calls: 0 }, api_key_id: keyId });
    await ledger.admit(home.newCall());
    expect((await getProblem(ledger.admit(home.newCall()))).members['budget_id']).toBe(own.id);
    expect(await home.budget(all.id)).toMatchObject({ reserved: 1 });
    expect(await home.budget(own.id)).toMatchObject({ reserved: 100 });
    expect(await home.budget(foreign.id)).toMatchObject({ reserved: 0 });
    const { admitted } = await admitMany(
      Array.from({ length: 9 }, () => [ledger, home.newCall({ tokens: 10, cost: null })]),
    );
    expect(admitted).toHaveLength(4);
    expect(await home.budget(own.id)).toMatchObject({ reserved: 140 });
  });

  test('counts calls of a key also against the key that created it', async () => {
    const home = await startHome();
    const { body } = await app.call('/api-keys', { key: home.key, body: { name: 'child', preset: 'full' } });
    await home.addBudget({ limit: { calls: 1 }, api_key_id: home.keyId });
    const byChild = home.newCall(undefined, { actor: { workspaceId: home.workspaceId, id: body.id } });
    await ledger.admit(byChild);
    expect((await getProblem(ledger.admit(byChild))).code).toBe('budget_exceeded');
    const byPerson = { workspaceId: home.workspaceId, id: home.owner.userId };
    await ledger.admit(home.newCall(undefined, { actor: byPerson }));
  });

  test('needs a price for a budget in US dollars, and lets free models pass', async () => {
    const home = await startHome();
    const { id } = await home.addBudget({ limit: { usd: 0.001 } });
    const problem = await getProblem(ledger.admit(home.newCall({ tokens: 1, cost: null })));
    expect([problem.status, problem.code, problem.members['budget_id']]).toEqual([422, 'price_unknown', id]);
    const call = await ledger.admit(home.newCall({ tokens: 1, cost: 1_000_000 }));
    expect(await home.budget(id)).toMatchObject({ reserved: 0.001, remaining: 0 });
    await ledger.admit(home.newCall({ tokens: 1, cost: 0 }));
    await ledger.complete(call, RESULT);
    expect(await home.budget(id)).toMatchObject({ used: 0.00025, reserved: 0, remaining: 0.00075 });
  });

  test('starts the next window, in which earlier reservations count nothing', async () => {
    const home = await startHome();
    const { id } = await home.addBudget({ limit: { calls: 2 } });
    const early = await ledger.admit(home.newCall());
    const late = await ledger.admit(home.newCall());
    await ledger.complete(early, RESULT);
    await app.database.pool.query(
      `update model_budgets set window_start = window_start - interval '1 day' where id = $1`,
      [toUuid('budget', id)],
    );
    await app.database.pool.query(
      `update model_open_calls set reservations = jsonb_set(reservations, '{0,window_start}',
         to_jsonb((reservations->0->>'window_start')::timestamptz - interval '1 day')) where workspace_id = $1`,
      [home.workspaceId],
    );
    await ledger.admit(home.newCall());
    expect(await home.budget(id)).toMatchObject({ used: 0, reserved: 1 });
    await ledger.complete(late, RESULT);
    expect(await home.budget(id)).toMatchObject({ used: 0, reserved: 1 });
    expect(await home.rows('model_calls')).toHaveLength(2);
  });

  test('admits nothing in a workspace that is deleted', async () => {
    const home = await startHome();
    await app.database.pool.query('update workspaces set deleted_at = now() where id = $1', [
      home.workspaceId,
    ]);
    expect((await getProblem(ledger.admit(home.newCall()))).code).toBe('not_found');
  });
});

describe('completion', () => {
  test('happens once, also by two processes at once', async () => {
    const home = await startHome();
    const { id } = await home.addBudget({ limit: { tokens: 1_000 } });
    const call = await ledger.admit(home.newCall());
    await Promise.all([
      ...Array.from({ length: 5 }, () => ledger.complete(call, RESULT)),
      sweepCalls(unitsFor(app.database.db), SILENT),
    ]);
    await ledger.complete(call, RESULT);
    expect(await home.budget(id)).toMatchObject({ used: 30, reserved: 0 });
    expect(await home.rows('model_calls')).toHaveLength(1);
    expect(await home.rows('model_open_calls')).toHaveLength(0);
  });

  test('settles every budget by what calls used, whichever of two processes ends them', async () => {
    const home = await startHome();
    const budgets = [
      await home.addBudget({ limit: { calls: 1_000 } }),
      // Crosses both thresholds on the way.
      await home.addBudget({ limit: { tokens: 2_000 } }),
      await home.addBudget({ limit: { usd: 1_000 }, api_key_id: home.keyId }),
    ];
    const worst = { tokens: 40, cost: 1_000_000 };
    const run = async (nth: number): Promise<boolean> => {
      const via = nth % 2 ? ledger : otherLedger;
      const call = await via.admit(home.newCall(worst)).catch(() => null);
      if (!call) return false;
      const usage = { input: nth % 30, cached: 0, output: 10 };
      await via.complete(call, { ...RESULT, usage, cost: nth % 7 ? nth * 1_000 : null });
      return true;
    };
    const admitted: boolean[] = [];
    for (let wave = 0; wave < 4; wave += 1)
      admitted.push(...(await Promise.all(Array.from({ length: 30 }, (_, nth) => run(wave * 30 + nth)))));
    const rows = await home.rows('model_calls');
    expect(rows).toHaveLength(admitted.filter((is) => is).length);
    const sum = (read: (row: Record<string, number>) => number): number =>
      rows.reduce((total, row) => total + read(row as Record<string, number>), 0);
    const used = [
      rows.length,
      sum((row) => row['input_tokens']! + row['output_tokens']!),
      sum((row) => row['cost'] ?? worst.cost) / 1e9,
    ];
    for (const [nth, { id }] of budgets.entries()) {
      const budget = await home.budget(id);
      expect(budget).toMatchObject({ reserved: 0 });
      expect(budget.used).toBeCloseTo(used[nth]!, 9);
    }
    expect(used[1]).toBeLessThanOrEqual(2_000);
    expect(used[1]).toBeGreaterThan(1_600);
    const events = await getEvents(app, home.workspaceId);
    const crossed = events.find(({ type }) => type === 'budget.threshold_reached');
    expect(crossed!.data.threshold).toBe(80);
  });

  test('leaves no call open whose lease is renewed meanwhile', async () => {
    const home = await startHome();
    const { id } = await home.addBudget({ limit: { calls: 10_000 } });
    const { admitted } = await admitMany(
      Array.from({ length: 200 }, (_, nth) => [nth % 2 ? ledger : otherLedger, home.newCall()]),
    );
    const calls = admitted.map((call) => ({ workspaceId: call.actor.workspaceId, id: call.id }));
    let isDone = false;
    const renewing = (async () => {
      while (!isDone) await renewLeases(app.database.db, calls);
    })();
    await Promise.all(
      admitted.flatMap((call) => [ledger.complete(call, RESULT), otherLedger.complete(call, RESULT)]),
    );
    isDone = true;
    await renewing;
    expect(await home.rows('model_open_calls')).toHaveLength(0);
    expect(await home.rows('model_calls')).toHaveLength(200);
    expect(await home.budget(id)).toMatchObject({ used: 200, reserved: 0 });
  });

  test('of a failed call costs what it used', async () => {
    const home = await startHome();
    const { id } = await home.addBudget({ limit: { usd: 1 } });
    const call = await ledger.admit(home.newCall());
    await ledger.complete(call, {
      ...RESULT,
      outcome: 'failed',
      status: 502,
      errorCode: 'model_provider_error',
    });
    expect(await home.budget(id)).toMatchObject({ used: 0.00025, reserved: 0 });
    const [stats] = await home.rows('model_call_stats');
    expect(stats).toMatchObject({ calls: 1, failures: 1, cost: 250_000 });
  });

  test('without a price is counted as unpriced', async () => {
    const home = await startHome();
    const call = await ledger.admit(home.newCall({ tokens: 5, cost: null }));
    await ledger.complete(call, { ...RESULT, cost: null });
    const { body } = await app.call('/usage/models', { key: home.key });
    expect(body.totals).toMatchObject({ calls: 1, cost_usd: 0, unpriced_calls: 1 });
  });

  const lost = (): Error => Object.assign(new Error('Connection terminated'), { code: 'ECONNRESET' });

  /** Units whose database is unavailable, or whose commits are not confirmed. */
  function failingUnits() {
    const state = { isAway: false, loses: false, inTransaction: false };
    const units = unitsFor(
      app.database.db.withPlugin({
        transformQuery({ node }) {
          if (state.isAway) throw lost();
          return node;
        },
        async transformResult({ result }) {
          if (state.loses && !state.inTransaction) throw lost();
          return result;
        },
      }),
    );
    const failing: typeof units = {
      read: units.read,
      async write(work, before) {
        if (state.isAway) throw lost();
        state.inTransaction = true;
        const result = await units.write(work, before).finally(() => (state.inTransaction = false));
        if (state.loses) throw lost();
        return result;
      },
    };
    return { state, units: { ...failing, forRequests: failing } };
  }

  test('is retried while the database is away, and then written once', async () => {
    const home = await startHome();
    const { state, units } = failingUnits();
    const own = createCallLedger({
      units,
      control: app.database.db,
      log: SILENT,
      registry: new Registry(),
      inBackground: false,
      retryMs: 10,
      maxWaiting: 3,
    });
    own.start();
    onTestFinished(() => own.stop());
    const calls = await Promise.all(Array.from({ length: 5 }, () => own.admit(home.newCall())));
    state.isAway = true;
    for (const call of calls) await own.complete(call, RESULT);
    expect(await home.rows('model_calls')).toHaveLength(0);
    state.isAway = false;
    await expect.poll(() => home.rows('model_calls'), PATIENCE).toHaveLength(3);
    // Beyond the bound: these end as interrupted.
    expect(await home.rows('model_open_calls')).toHaveLength(2);
  });

  test.each([
    ['in a statement of its own', 1000],
    ['in a transaction, because it crosses a threshold', 30],
  ])('whose commit was not confirmed is not counted twice: %s', async (_, tokens) => {
    const home = await startHome();
    const { id } = await home.addBudget({ limit: { tokens } });
    const { state, units } = failingUnits();
    const own = createCallLedger({
      units,
      control: app.database.db,
      log: SILENT,
      registry: new Registry(),
      inBackground: false,
      retryMs: 10,
    });
    const call = await own.admit(home.newCall({ tokens: 30, cost: null }));
    state.loses = true;
    await own.complete(call, RESULT);
    state.loses = false;
    await own.stop();
    expect(await home.rows('model_calls')).toHaveLength(1);
    expect(await home.budget(id)).toMatchObject({ used: 30, reserved: 0 });
  });
});

describe('a process that dies', () => {
  const expire = (workspaceId: string) =>
    app.database.pool.query(
      `update model_open_calls set lease_until = now() - interval '1 second' where workspace_id = $1`,
      [workspaceId],
    );

  test('leaves calls that end as interrupted: they count as calls, and their reservations end', async () => {
    const home = await startHome();
    const calls = await home.addBudget({ limit: { calls: 10 } });
    const usd = await home.addBudget({ limit: { usd: 1 } });
    const open = await Promise.all(Array.from({ length: 3 }, () => ledger.admit(home.newCall())));
    await ledger.complete(open[0]!, RESULT);
    await expire(home.workspaceId);
    await Promise.all([
      sweepCalls(unitsFor(app.database.db), SILENT),
      sweepCalls(unitsFor(other.database.db), SILENT),
    ]);
    await expect.poll(() => home.rows('model_open_calls'), PATIENCE).toHaveLength(0);
    expect(await home.budget(calls.id)).toMatchObject({ used: 3, reserved: 0 });
    expect(await home.budget(usd.id)).toMatchObject({ used: 0.00025, reserved: 0 });
    const outcomes = (await home.rows('model_calls')).map(({ outcome }) => outcome).toSorted();
    expect(outcomes).toEqual(['interrupted', 'interrupted', 'succeeded']);
    // The process was only frozen: its call was already recorded.
    await ledger.complete(open[1]!, RESULT);
    expect(await home.rows('model_calls')).toHaveLength(3);
    expect(await home.budget(calls.id)).toMatchObject({ used: 3, reserved: 0 });
    const { body } = await app.call('/usage/models', { key: home.key });
    expect(body.totals).toMatchObject({ calls: 3, failures: 2, unpriced_calls: 0 });
  });

  test('leaves them open until their lease is over', async () => {
    const home = await startHome();
    await ledger.admit(home.newCall());
    await sweepCalls(unitsFor(app.database.db), SILENT);
    expect(await home.rows('model_open_calls')).toHaveLength(1);
  });
});
