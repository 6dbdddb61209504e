/** Tests click limits of links while the database is unavailable: which visits use them up, and for how long. */
import pg from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { PATIENCE } from '../../../../test/support/patience.ts';
import { startDatabaseProxy } from '../../../../test/support/database-proxy.ts';
import {
  insertWorkspace,
  putRoute,
  type Redirector,
  startRedirector,
} from '../../../../test/support/links/redirect.ts';

const PERSON = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Chrome/141.0.0.0 Safari/537.36' };

let at: Redirector;
let workspaceId: string;

beforeAll(async () => {
  at = await startRedirector();
  workspaceId = await insertWorkspace(at.database);
});
afterAll(() => at.stop());

async function visit(path: string, base = at.base): Promise<number> {
  const response = await fetch(base + path, { redirect: 'manual', headers: PERSON });
  await response.arrayBuffer();
  return response.status;
}

test('visits that gave up waiting for the budget use nothing of it', async () => {
  const linkId = await putRoute(at.database, workspaceId, 'held', { maxClicks: 20 });
  const holder = new pg.Client(at.database.connection);
  await holder.connect();
  try {
    await holder.query('begin');
    await holder.query('select from link_budgets where link_id = $1 for update', [linkId]);
    const statuses = await Promise.all(Array.from({ length: 60 }, () => visit('/held')));
    expect(new Set(statuses)).toEqual(new Set([503]));
    await holder.query('commit');
  } finally {
    await holder.end();
  }
  await vi.waitFor(async () => expect(await visit('/held')).toBe(302), PATIENCE);
  const { rows } = await at.database.pool.query('select used from link_budgets where link_id = $1', [linkId]);
  expect(rows).toEqual([{ used: 1 }]);
});

test('a connection on which nothing comes back holds up no link for good', async () => {
  const proxy = await startDatabaseProxy(at.database.connection);
  const node = await startRedirector({}, at.database, { way: proxy.connection });
  try {
    await putRoute(at.database, workspaceId, 'lost', { maxClicks: 20 });
    await vi.waitFor(async () => expect(await visit('/lost', node.base)).toBe(302), PATIENCE);
    proxy.swallow(true);
    expect(await visit('/lost', node.base)).toBe(503);
    proxy.swallow(false);
    await vi.waitFor(async () => expect(await visit('/lost', node.base)).toBe(302), PATIENCE);
  } finally {
    await proxy.stop();
    await node.stop();
  }
});
