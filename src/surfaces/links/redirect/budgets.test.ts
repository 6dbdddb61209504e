import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/db.ts';
import { createUnits } from '../../../core/unit/unit-of-work.ts';
import { createBudgets } from './budgets.ts';
import { insertWorkspace, putRoute, startRedirector } from '../../../../test/support/links/redirect.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

test('visits of many links with a limit take no more than a few connections', async () => {
  const { pool, db } = database;
  const workspaceId = await insertWorkspace(database);
  const links = await Promise.all(
    Array.from({ length: 12 }, (_, nth) =>
      putRoute(database, workspaceId, `limited${nth}`, { maxClicks: 100 }),
    ),
  );
  let persons = 0;
  const budgets = createBudgets({
    units: createUnits({ db, events: {} as never, jobs: {} as never }),
    getPerson: async () => `${persons++}`,
    exhaustion: { lock: async () => {}, writeEvent: async () => {} },
  });
  const held = await pool.connect();
  const waiting = async (): Promise<number> =>
    (
      await held.query(
        `select count(*)::integer as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      )
    ).rows[0].n;
  let visits: Promise<PromiseSettledResult<boolean>[]>;
  try {
    await held.query('begin');
    await held.query('select from link_budgets where workspace_id = $1 for update', [workspaceId]);
    visits = Promise.allSettled(links.map((link) => budgets.take(workspaceId, link)));
    await vi.waitFor(async () => expect(await waiting()).toBeGreaterThanOrEqual(4), 10_000);
    for (let times = 0; times < 20; times++) expect(await waiting()).toBe(4);
  } finally {
    await held.query('rollback');
    held.release();
  }
  await visits;
  expect(await Promise.all(links.map((link) => budgets.take(workspaceId, link)))).toEqual(
    links.map(() => true),
  );
});

test('a limit that cannot be asked is no redirect, and told once however many come', async () => {
  const lock = () => Promise.reject(new Error('locked up'));
  const at = await startRedirector({}, database, { exhaustion: { lock, writeEvent: async () => {} } });
  try {
    await putRoute(database, await insertWorkspace(database), 'stuck', { maxClicks: 1 });
    const headers = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Chrome/141.0.0.0 Safari/537.36' };
    const visits = Array.from({ length: 20 }, () =>
      fetch(`${at.base}/stuck`, { headers, redirect: 'manual' }),
    );
    expect(new Set((await Promise.all(visits)).map(({ status }) => status))).toEqual(new Set([503]));
    expect(at.logged.filter((line) => line.includes('could not read click budget'))).toHaveLength(1);
  } finally {
    await at.stop();
  }
});
