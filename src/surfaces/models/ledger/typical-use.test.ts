/** Tests budgets that reserve the typical usage instead of the worst case. */
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  admitMany,
  openLedger,
  RESULT,
  startLedgerHome,
} from '../../../../test/support/models/ledger-world.ts';
import { startTestApp, type TestApp } from '../../../../test/support/test-app.ts';
import { toUuid } from '../../../core/vocabulary/ids.ts';
import type { CallResult, NewCall, OpenCall } from '../contract/call-ledger.ts';
import { createTypicalUse } from './typical-use.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

const WORST = { tokens: 1_000, cost: 10_000 };
const toCall = (changes: Partial<NewCall> = {}): NewCall => ({
  actor: { workspaceId: 'w', id: 'key_1' },
  operation: 'chat/completions',
  model: 'p/small',
  route: null,
  worst: WORST,
  ...changes,
});
const used = (tokens: number, changes: Partial<CallResult> = {}): CallResult => ({
  ...RESULT,
  usage: { input: tokens, cached: 0, output: 0 },
  cost: tokens * 10,
  ...changes,
});

describe('typical use', () => {
  test('is the largest share that one of the last 20 calls used, once 5 are known', () => {
    const typical = createTypicalUse();
    for (const tokens of [100, 300, 100, 100]) typical.add(toCall(), used(tokens));
    expect(typical.get(toCall())).toEqual(WORST);
    typical.add(toCall(), used(100));
    expect(typical.get(toCall())).toEqual({ tokens: 300, cost: 3_000 });
    // Of a call that is ten times as large.
    expect(typical.get(toCall({ worst: { tokens: 10_000, cost: 100_000 } }))).toEqual({
      tokens: 3_000,
      cost: 30_000,
    });
    for (let count = 0; count < 20; count++) typical.add(toCall(), used(50));
    expect(typical.get(toCall())).toEqual({ tokens: 50, cost: 500 });
    typical.add(toCall(), used(5_000));
    expect(typical.get(toCall())).toEqual(WORST);
  });

  test('is that of the same key, operation and model alone, and not of calls that failed', () => {
    const typical = createTypicalUse();
    for (let count = 0; count < 5; count++) {
      typical.add(toCall(), used(100));
      typical.add(toCall({ model: 'p/failing' }), used(0, { outcome: 'failed' }));
    }
    expect(typical.get(toCall()).tokens).toBe(100);
    const others: Partial<NewCall>[] = [
      { actor: { workspaceId: 'w', id: 'key_2' } },
      { actor: { workspaceId: 'v', id: 'key_1' } },
      { operation: 'responses' },
      { model: 'p/large' },
      { model: 'p/failing' },
    ];
    for (const other of others) expect(typical.get(toCall(other))).toEqual(WORST);
  });

  test('is the worst cost where only the provider knows the cost', () => {
    const typical = createTypicalUse();
    const open = { ...WORST, isCostOpen: true };
    for (let count = 0; count < 5; count++) typical.add(toCall({ worst: open }), used(100));
    expect(typical.get(toCall({ worst: open }))).toEqual({ tokens: 100, cost: 10_000 });
    expect(typical.get(toCall({ worst: { tokens: 1_000, cost: null } }))).toEqual({
      tokens: 100,
      cost: null,
    });
  });
});

describe('a budget that reserves typical use', () => {
  test('admits what calls used lately, and is exceeded by calls in progress alone', async () => {
    const home = await startLedgerHome(app);
    const ledger = openLedger(app);
    const budget = await home.addBudget({ limit: { tokens: 1_000 }, reservation: 'typical' });
    expect(budget.reservation).toBe('typical');
    const worst = { tokens: 500, cost: null };
    for (let count = 0; count < 5; count++)
      await ledger.complete(await ledger.admit(home.newCall(worst)), used(20));
    // 900 are left, and 20 of 500 are typical.
    const calls = Array.from({ length: 60 }, () => [ledger, home.newCall(worst)] as const);
    const { admitted, problems } = await admitMany(calls.map(([via, call]) => [via, call]));
    expect([admitted.length, problems.length]).toEqual([45, 15]);
    expect(problems[0]!.message).toContain(
      '0 of 1000 tokens left, and the call is expected to use 20 tokens',
    );
    expect(await home.budget(budget.id)).toMatchObject({ used: 100, reserved: 900, remaining: 0 });
    for (const call of admitted) await ledger.complete(call, used(500));
    // Maximum overrun: the worst cases of the calls that were in progress, minus their reservations.
    expect(await home.budget(budget.id)).toMatchObject({ used: 1_000 + 45 * (500 - 20), reserved: 0 });
    await expect(ledger.admit(home.newCall({ tokens: 1, cost: null }))).rejects.toMatchObject({
      code: 'budget_exceeded',
    });
  });

  test('admits nothing above its limit to callers whose last calls used nothing', async () => {
    const home = await startLedgerHome(app);
    const ledger = openLedger(app);
    const { id } = await home.addBudget({ limit: { usd: 0.000001 }, reservation: 'typical' });
    const worst = { tokens: 500, cost: 500 };
    const free = used(0, { cost: 0 });
    for (let count = 0; count < 5; count++)
      await ledger.complete(await ledger.admit(home.newCall(worst)), free);
    const paid = await ledger.admit(home.newCall(worst));
    const others = Array.from({ length: 1_010 }, () => [ledger, home.newCall(worst)] as const);
    // Each has a part of the 1,000 billionths.
    const { admitted } = await admitMany(others.map(([via, call]) => [via, call]));
    expect(admitted).toHaveLength(999);
    for (const call of admitted) await ledger.complete(call, free);
    await ledger.complete(paid, used(100, { cost: 1_000 }));
    expect(await home.budget(id)).toMatchObject({ remaining: 0 });
    await expect(ledger.admit(home.newCall(worst))).rejects.toMatchObject({ code: 'budget_exceeded' });
  });

  test('goes back to the worst case for the next calls', async () => {
    const home = await startLedgerHome(app);
    const ledger = openLedger(app);
    const { id } = await home.addBudget({ limit: { tokens: 10_000 }, reservation: 'typical' });
    for (let count = 0; count < 5; count++)
      await ledger.complete(await ledger.admit(home.newCall()), used(20));
    const before = await ledger.admit(home.newCall());
    expect((await home.budget(id)).reserved).toBe(20);
    await app.call(`/budgets/${id}`, { key: home.key, method: 'PATCH', body: { reservation: 'worst_case' } });
    const after = await ledger.admit(home.newCall());
    expect((await home.budget(id)).reserved).toBe(120);
    await ledger.complete(before, used(20));
    await ledger.complete(after, used(20));
    expect(await home.budget(id)).toMatchObject({ used: 140, reserved: 0, reservation: 'worst_case' });
  });

  test(
    'is never exceeded by more than the worst cases of calls in progress',
    { timeout: 120_000 },
    async () => {
      const start = fc.record({
        kind: fc.constant('start' as const),
        via: fc.nat(1),
        worst: fc.integer({ min: 1, max: 400 }),
      });
      const end = fc.record({
        kind: fc.constant('end' as const),
        nth: fc.nat(20),
        share: fc.double({ min: 0, max: 1, noNaN: true }),
      });
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.oneof({ weight: 3, arbitrary: start }, { weight: 2, arbitrary: end }), {
            minLength: 30,
            maxLength: 80,
          }),
          fc.integer({ min: 500, max: 2_000 }),
          async (steps, limit) => {
            const home = await startLedgerHome(app);
            const ledgers = [openLedger(app), openLedger(app)];
            const { id } = await home.addBudget({ limit: { tokens: limit }, reservation: 'typical' });
            const open: { call: OpenCall; via: number }[] = [];
            /** The maximum that the budget can reach after the last admission. */
            let most = 0;
            const finish = async ({ call, via }: (typeof open)[number], share: number) =>
              ledgers[via]!.complete(call, used(Math.floor(call.worst.tokens * share)));
            for (const step of steps) {
              if (step.kind === 'end') {
                const [one] = open.splice(step.nth % Math.max(1, open.length), 1);
                if (one) await finish(one, step.share);
                continue;
              }
              const call = await ledgers[step.via]!.admit(
                home.newCall({ tokens: step.worst, cost: null }),
              ).catch(() => null);
              if (!call) continue;
              open.push({ call, via: step.via });
              const { rows } = await app.database.pool.query(
                'select used, reserved from model_budgets where id = $1',
                [toUuid('budget', id)],
              );
              const { used: taken, reserved } = rows[0] as { used: number; reserved: number };
              expect(taken + reserved).toBeLessThanOrEqual(limit);
              most = taken + open.reduce((sum, one) => sum + one.call.worst.tokens, 0);
            }
            for (const one of open) await finish(one, 1);
            const budget = await home.budget(id);
            expect(budget.reserved).toBe(0);
            expect(budget.used).toBeLessThanOrEqual(Math.max(limit, most));
          },
        ),
        { numRuns: 10 },
      );
    },
  );
});
