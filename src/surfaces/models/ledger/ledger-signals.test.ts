import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Registry } from 'prom-client';
import {
  admitMany,
  type LedgerHome,
  openLedger,
  RESULT,
  startLedgerHome,
} from '../../../../test/support/models/ledger-world.ts';
import { startTestApp, type TestApp } from '../../../../test/support/test-app.ts';
import { getEvents } from '../../../../test/support/workspaces.ts';
import { newUuid } from '../../../platform/http/ids.ts';
import type { CallResult } from '../contract/call-ledger.ts';
import type { Ledger } from '../contract/call-ledger.ts';

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

test('calls in progress, and how they ended, are counted in metrics', async () => {
  const home = await startHome();
  const registry = new Registry();
  const own = openLedger(app, registry);
  const calls = await Promise.all(Array.from({ length: 3 }, () => own.admit(home.newCall())));
  await own.complete(calls[0]!, RESULT);
  await own.complete(calls[1]!, { ...RESULT, outcome: 'failed' });
  await own.complete(calls[1]!, RESULT);
  const text = await registry.metrics();
  expect(text.split('\n').filter((line) => line.startsWith('fairlead'))).toEqual([
    'fairlead_model_calls_open 1',
    'fairlead_model_call_results_waiting 0',
    'fairlead_model_calls_total{outcome="succeeded"} 1',
    'fairlead_model_calls_total{outcome="failed"} 1',
  ]);
});

describe('thresholds', () => {
  const getThresholds = async (workspaceId: string) =>
    (await getEvents(app, workspaceId))
      .filter(({ type }) => type === 'budget.threshold_reached')
      .map(({ data }) => [data.threshold, data.object.used + data.object.reserved]);

  test('of calls are announced once, when they are admitted', async () => {
    const home = await startHome();
    await home.addBudget({ limit: { calls: 5 } });
    for (let n = 0; n < 6; n++) {
      const { admitted } = await admitMany([[n % 2 ? ledger : otherLedger, home.newCall()]]);
      for (const call of admitted) await (n % 2 ? ledger : otherLedger).complete(call, RESULT);
    }
    expect(await getThresholds(home.workspaceId)).toEqual([
      [80, 4],
      [100, 5],
    ]);
  });

  test('of tokens are announced once, when they are used', async () => {
    const home = await startHome();
    const { id } = await home.addBudget({ limit: { tokens: 150 } });
    const run = async () =>
      ledger.complete(await ledger.admit(home.newCall({ tokens: 30, cost: null })), RESULT);
    for (let n = 0; n < 3; n++) await run();
    expect(await getThresholds(home.workspaceId)).toEqual([]);
    await run();
    await run();
    expect(await getThresholds(home.workspaceId)).toEqual([
      [80, 120],
      [100, 150],
    ]);
    // A higher limit has thresholds of its own.
    await app.call(`/budgets/${id}`, { key: home.key, method: 'PATCH', body: { limit: { tokens: 210 } } });
    await run();
    expect((await getThresholds(home.workspaceId)).at(-1)).toEqual([80, 180]);
  });

  test('are both announced by a call that crosses both, with its completion', async () => {
    const home = await startHome();
    await home.addBudget({ limit: { usd: 0.0002 }, window: 'total' });
    const call = await ledger.admit(home.newCall({ tokens: 1, cost: 200_000 }));
    await ledger.complete(call, RESULT);
    expect(await getThresholds(home.workspaceId)).toEqual([
      [80, 0.00025],
      [100, 0.00025],
    ]);
  });
});

test('a row of a call takes at most 300 bytes', async () => {
  const home = await startHome();
  const long = 'ä/model-'.repeat(40);
  const longest: CallResult = {
    ...RESULT,
    outcome: 'failed',
    model: long,
    providerId: newUuid(),
    errorCode: long,
    attempts: Array.from({ length: 5 }, () => `${long}:timeout`),
    usage: { input: 2 ** 40, cached: 2 ** 40, output: 2 ** 40 },
    durationMs: 2 ** 40,
  };
  const details = { cacheWrites: 2 ** 40, cacheWrites1h: 1, reasoning: 2 ** 40, audio: 2 ** 40, image: 1 };
  const usage = { ...longest.usage, ...details };
  const results: CallResult[] = [
    RESULT,
    longest,
    { ...longest, usage: { ...longest.usage, reasoning: 1 } },
    { ...longest, usage },
    { ...longest, usage, outcome: 'canceled' },
    { ...longest, usage, outcome: 'succeeded', errorCode: null },
  ];
  for (const result of results)
    await ledger.complete(await ledger.admit(home.newCall(undefined, { route: 'r'.repeat(100) })), result);
  const { rows } = await app.database.pool.query(
    'select pg_column_size(c) as size, model, route from model_calls c where workspace_id = $1 order by id',
    [home.workspaceId],
  );
  expect(rows).toHaveLength(results.length);
  for (const { size } of rows) expect(size).toBeLessThanOrEqual(300);
  // Totals are grouped by these: details do not shorten them.
  expect(new Set(rows.slice(1).map(({ model, route }) => `${model} ${route}`)).size).toBe(1);
});
