/** Tests calls without a transaction: slices of budgets, the journal, and recovery after a process dies. */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { unitsFor } from '../../../../test/support/events/outbox.ts';
import {
  type LedgerHome,
  RESULT,
  SILENT,
  startLedgerHome,
} from '../../../../test/support/models/ledger-world.ts';
import { PATIENCE } from '../../../../test/support/patience.ts';
import { temporaryFolder, type TemporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { startTestApp, type TestApp } from '../../../../test/support/test-app.ts';
import { getEvents } from '../../../../test/support/workspaces.ts';
import type { Units } from '../../../core/unit/unit-of-work.ts';
import { newUuid } from '../../../platform/http/ids.ts';
import { toUuid } from '../../../core/vocabulary/ids.ts';
import { claimOrphan } from '../../../platform/journal/journal-owner.ts';
import { createJournalReader } from '../../../platform/journal/journal-reader.ts';
import { openJournal as openPosition } from '../../../platform/journal/journals.system-store.ts';
import { currentTime } from '../../../platform/time/clock.ts';
import { callJournalsFolder, MODEL_CALLS, openCallJournal } from './call-journal.ts';
import type { OpenCall } from '../contract/call-ledger.ts';
import { endAbandoned, endCallsOf, loadCalls } from './call-loading.ts';
import { toCallRow } from './call-record.ts';
import { TOKEN_DETAILS } from '../contract/token-details.ts';
import { createCallLedger } from './ledger.ts';
import type { Ledger } from '../contract/call-ledger.ts';

let app: TestApp;
let temporary: TemporaryFolder;
beforeAll(async () => {
  app = await startTestApp();
  temporary = await temporaryFolder();
});
afterAll(async () => {
  await app.stop();
  await temporary[Symbol.asyncDispose]();
});

let processes = 0;

/** A process with a directory of its own, so that no other takes over its journal. */
async function startProcess({ loads = true, clock = currentTime } = {}) {
  const dataDir = join(temporary.path, String(processes++));
  const real = unitsFor(app.database.db);
  const units: Units = {
    read: { ...real.read, clock },
    write: (work, before) => real.write((unit) => work({ ...unit, clock }), before),
  };
  const registry = new Registry();
  const journal = await openCallJournal({ dataDir, db: app.database.db, registry, log: SILENT });
  const ledger = createCallLedger({
    units: { ...units, forRequests: units },
    control: app.database.db,
    log: SILENT,
    registry,
    inBackground: false,
    // A process that doesn't load is dead: others read its journal.
    journaled: { journal: loads ? journal : { ...journal, source: noSource(journal.id) }, dataDir },
  });
  ledger.start();
  onTestFinished(() => ledger.stop());
  return { ledger, journal, dataDir };
}

const noSource = (id: string) => ({
  id,
  isLive: true,
  read: async (segment: number, position: number) => ({ records: [], segment, position, atEnd: true }),
  loadedThrough: async () => {},
});

const countSlices = async (home: LedgerHome): Promise<number> => {
  const { rows } = await app.database.pool.query<{ sum: string | null }>(
    'select sum(amount) from model_budget_slices where workspace_id = $1',
    [home.workspaceId],
  );
  return Number(rows[0]!.sum);
};
const exec = (text: string, ...values: unknown[]) => app.database.pool.query(text, values);

/** Calls until one was admitted by the journal: callers are known once they call often. */
async function untilJournaled(
  { ledger, journal }: { ledger: Ledger; journal: { load(): { recorded: number } } },
  home: LedgerHome,
): Promise<{ call: OpenCall; before: number }> {
  const { recorded } = journal.load();
  for (let before = 0; before < 2_000; before++) {
    const call = await ledger.admit(home.newCall());
    if (journal.load().recorded > recorded) return { call, before };
    await ledger.complete(call, RESULT);
    await delay(5);
  }
  throw new Error('no call was admitted by the journal');
}

describe('a caller who calls often', () => {
  test('writes nothing to the database before its calls have ended, and each is counted once', async () => {
    const home = await startLedgerHomeOf();
    const tokens = await home.addBudget({ limit: { tokens: 1_000_000 } });
    const usd = await home.addBudget({ limit: { usd: 1_000 }, api_key_id: home.keyId });
    const one = await startProcess({ loads: false });
    const { call, before } = await untilJournaled(one, home);
    expect(await home.rows('model_open_calls')).toHaveLength(0);
    expect(await home.rows('model_calls')).toHaveLength(before);
    const held = await countSlices(home);
    expect(held).toBeGreaterThan(0);
    await one.ledger.complete(call, RESULT);
    expect(await home.rows('model_calls')).toHaveLength(before);
    await loadAsOther(one);
    expect(await home.rows('model_calls')).toHaveLength(before + 1);
    expect(await home.budget(tokens.id)).toMatchObject({ used: 30 * (before + 1), reserved: 0 });
    expect(await home.budget(usd.id)).toMatchObject({ reserved: 0 });
    expect(await countSlices(home)).toBe(0);
  });

  test('reserves what is typical in budgets that ask for it, and the worst case in others', async () => {
    const home = await startLedgerHomeOf();
    const typical = await home.addBudget({ limit: { tokens: 1_000_000 }, reservation: 'typical' });
    const worst = await home.addBudget({ limit: { tokens: 1_000_000 } });
    const one = await startProcess();
    for (let count = 0; count < 5; count++)
      await one.ledger.complete(await one.ledger.admit(home.newCall()), RESULT);
    const { call } = await untilJournaled(one, home);
    await one.ledger.settle(home.workspaceId);
    expect((await home.budget(typical.id)).reserved).toBe(30);
    expect((await home.budget(worst.id)).reserved).toBe(100);
    await one.ledger.complete(call, RESULT);
    await one.ledger.settle(home.workspaceId);
    expect(await home.budget(typical.id)).toMatchObject({ reserved: 0 });
    expect(await home.budget(worst.id)).toMatchObject({ reserved: 0 });
  });

  test('finds its calls, usage and budgets up to date, whichever of 200 calls were journaled', async () => {
    const home = await startLedgerHomeOf();
    const calls = await home.addBudget({ limit: { calls: 1_000 } });
    const usd = await home.addBudget({ limit: { usd: 1_000 } });
    const one = await startProcess();
    const { call, before } = await untilJournaled(one, home);
    await one.ledger.complete(call, RESULT);
    for (let wave = 0; wave < 10; wave++)
      await Promise.all(
        Array.from({ length: 20 }, async () =>
          one.ledger.complete(await one.ledger.admit(home.newCall()), RESULT),
        ),
      );
    await one.ledger.settle(home.workspaceId);
    const count = before + 201;
    expect(await home.rows('model_calls')).toHaveLength(count);
    expect(await home.rows('model_open_calls')).toHaveLength(0);
    expect(await home.budget(calls.id)).toMatchObject({ used: count, reserved: 0, remaining: 1_000 - count });
    const budget = await home.budget(usd.id);
    expect(budget.reserved).toBe(0);
    expect(budget.used).toBeCloseTo(0.00025 * count, 9);
    const { body } = await app.call('/usage/models', { key: home.key });
    expect(body.totals).toMatchObject({ calls: count, failures: 0 });
  });

  test('never exceeds a budget by parallel calls of two processes, uses all of it, and its thresholds are announced', async () => {
    const home = await startLedgerHomeOf();
    const { id } = await home.addBudget({ limit: { calls: 400 } });
    const [one, two] = [await startProcess(), await startProcess()];
    let admitted = 0;
    let rejected = 0;
    const callMany = async (ledger: Ledger): Promise<void> => {
      for (let refusals = 0; refusals < 20;) {
        const call = await ledger.admit(home.newCall()).catch(() => null);
        if (call) {
          admitted += 1;
          await ledger.complete(call, RESULT);
        } else {
          refusals += 1;
          rejected += 1;
          await delay(100);
        }
      }
    };
    await Promise.all([one, two, one, two].map(({ ledger }) => callMany(ledger)));
    expect(admitted).toBe(400);
    expect(rejected).toBeGreaterThan(0);
    await Promise.all([one, two].map(({ ledger }) => ledger.settle(home.workspaceId)));
    expect(await home.budget(id)).toMatchObject({ used: 400, reserved: 0, remaining: 0 });
    expect(await home.rows('model_calls')).toHaveLength(400);
    expect(one.journal.load().recorded + two.journal.load().recorded).toBeGreaterThan(0);
    const events = await getEvents(app, home.workspaceId);
    const thresholds = events
      .filter(({ type }) => type === 'budget.threshold_reached')
      .map(({ data }) => data.threshold);
    expect(thresholds).toEqual([80, 100]);
  });

  test('is rejected within a second once the limit is lowered or the budget is new', async () => {
    const home = await startLedgerHomeOf();
    const { id } = await home.addBudget({ limit: { calls: 1_000_000 } });
    const one = await startProcess();
    const { call } = await untilJournaled(one, home);
    await one.ledger.complete(call, RESULT);
    await exec('update model_budgets set limit_amount = 1 where id = $1', toUuid('budget', id));
    const admitUntilRejected = async (): Promise<string> => {
      for (;;) {
        try {
          await one.ledger.complete(await one.ledger.admit(home.newCall()), RESULT);
        } catch (error) {
          return (error as { code: string }).code;
        }
        await delay(5);
      }
    };
    expect(await admitUntilRejected()).toBe('budget_exceeded');
    await exec('delete from model_budgets where id = $1', toUuid('budget', id));
    await expect.poll(() => untilJournaled(one, home), PATIENCE).toBeDefined();
    await home.addBudget({ limit: { calls: 0 } });
    expect(await admitUntilRejected()).toBe('budget_exceeded');
  });

  test('counts in the next window once the window is over', async () => {
    const home = await startLedgerHomeOf();
    const { id } = await home.addBudget({ limit: { calls: 100_000 } });
    let now = Date.now();
    const one = await startProcess({ clock: () => new Date(now) });
    const { call } = await untilJournaled(one, home);
    now += 24 * 3_600_000;
    await one.ledger.complete(await one.ledger.admit(home.newCall()), RESULT);
    await one.ledger.complete(call, RESULT);
    await one.ledger.settle(home.workspaceId);
    expect(await home.budget(id)).toMatchObject({ used: 1, reserved: 0 });
  });
});

const startLedgerHomeOf = (): Promise<LedgerHome> => startLedgerHome(app);

/** Loads the journal of a dead process to its end, as one does that adopts it. */
async function loadAsOther({ journal, dataDir }: Awaited<ReturnType<typeof startProcess>>): Promise<number> {
  await journal.close();
  const claimed = claimOrphan(callJournalsFolder(dataDir), journal.id)!;
  const units = unitsFor(app.database.db);
  const source = createJournalReader({
    ...MODEL_CALLS,
    id: journal.id,
    folder: claimed.folder,
    log: SILENT,
    damaged: () => {},
  });
  for (let isAtEnd = false; !isAtEnd;) {
    const from = await openPosition(app.database.db, journal.id);
    // In small batches: an end is then seldom in the same as its beginning.
    const part = await source.read(from.segment, from.position, 200);
    await loadCalls(units, journal.id, from, part, part.records);
    // Loaded records are not loaded again.
    if (part.records.length)
      expect(await loadCalls(units, journal.id, from, part, part.records)).toBe('elsewhere');
    isAtEnd = part.atEnd;
  }
  claimed.release();
  return endCallsOf(units, journal.id);
}

describe('a process that dies', () => {
  test('and was of an earlier version: records without details of tokens are loaded, as those with them', async () => {
    const home = await startLedgerHomeOf();
    const one = await startProcess({ loads: false });
    const details = { cacheWrites: 3, cacheWrites1h: 2, reasoning: 4, audio: 5, image: 6 };
    const results = [RESULT, { ...RESULT, usage: { ...RESULT.usage, ...details } }];
    for (const [nth, result] of results.entries()) {
      const { actor, workspaceId } = home;
      const call = { ...home.newCall(), id: newUuid(), actor: actor.id, route: null };
      const { row, ...ended } = { kind: 'ended', at: 0, workspaceId, row: toCallRow({ ...call, result }) };
      const keys = Object.keys(row).filter((key) => key.endsWith('_tokens'));
      expect(keys).toHaveLength(nth === 0 ? 3 : 8);
      for (const record of [
        { ...call, kind: 'opened', at: 0, workspaceId, reservations: [] },
        { ...ended, row },
      ])
        await new Promise<void>((resolve, reject) => {
          one.journal.append(JSON.stringify(record), (error) => (error ? reject(error) : resolve()));
        });
    }
    await loadAsOther(one);
    const rows = await home.rows('model_calls');
    const read = (row: Record<string, unknown>) => TOKEN_DETAILS.map((name) => Number(row[name]));
    expect(rows.map(read).toSorted()).toEqual([
      [0, 0, 0, 0, 0],
      [3, 2, 4, 5, 6],
    ]);
    const [stats] = await home.rows('model_call_stats');
    expect(read(stats)).toEqual([3, 2, 4, 5, 6]);
    expect(stats).toMatchObject({ calls: 2, input_tokens: 40 });
  });

  test('leaves a journal: calls that ended are counted, others are interrupted, slices go back', async () => {
    const home = await startLedgerHomeOf();
    const budgets = [
      await home.addBudget({ limit: { calls: 100_000 } }),
      await home.addBudget({ limit: { usd: 1_000 } }),
    ];
    const one = await startProcess({ loads: false });
    const { call, before } = await untilJournaled(one, home);
    await one.ledger.complete(call, RESULT);
    const more: OpenCall[] = [];
    while (more.length < 5) more.push((await untilJournaled(one, home)).call);
    for (const ended of more.slice(0, 2)) await one.ledger.complete(ended, { ...RESULT, cost: null });
    const exact = (await home.rows('model_calls')).length;
    expect(exact).toBeGreaterThanOrEqual(before);
    expect(await loadAsOther(one)).toBe(3);
    expect(await endCallsOf(unitsFor(app.database.db), one.journal.id)).toBe(0);
    const rows = await home.rows('model_calls');
    expect(rows).toHaveLength(exact + 6);
    expect(rows.filter(({ outcome }) => outcome === 'interrupted')).toHaveLength(3);
    expect(await home.rows('model_open_calls')).toHaveLength(0);
    expect(await home.budget(budgets[0]!.id)).toMatchObject({ used: exact + 6, reserved: 0 });
    // Two calls with an unknown cost count their reservations.
    const usd = await home.budget(budgets[1]!.id);
    expect(usd.reserved).toBe(0);
    expect(usd.used).toBeCloseTo((exact + 1) * 0.00025 + 2 * 0.001, 9);
    expect(await countSlices(home)).toBe(0);
  });

  test('and whose journal is out of reach for an hour: its calls are interrupted, and not counted again later', async () => {
    const home = await startLedgerHomeOf();
    const { id } = await home.addBudget({ limit: { calls: 100_000 } });
    const one = await startProcess({ loads: false });
    const { call } = await untilJournaled(one, home);
    const exact = (await home.rows('model_calls')).length;
    const units = unitsFor(app.database.db);
    const read = createJournalReader({
      ...MODEL_CALLS,
      id: one.journal.id,
      folder: join(callJournalsFolder(one.dataDir), one.journal.id),
      log: SILENT,
      damaged: () => {},
    });
    const opened = await read.read(0, 0, 100_000);
    await loadCalls(units, one.journal.id, { segment: 0, position: 0 }, opened, opened.records);
    expect(await home.rows('model_open_calls')).toHaveLength(1);
    expect(await endAbandoned(units)).toBe(0);
    await exec(
      `update journals set updated_at = now() - interval '2 hours' where journal_id = $1`,
      one.journal.id,
    );
    expect(await endAbandoned(units)).toBe(1);
    await one.ledger.complete(call, RESULT);
    await loadAsOther(one);
    expect(await home.rows('model_calls')).toHaveLength(exact + 1);
    expect(await home.budget(id)).toMatchObject({ used: exact + 1, reserved: 0 });
  });
});
