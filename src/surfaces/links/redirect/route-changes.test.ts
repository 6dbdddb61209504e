/** Tests that a route map stays correct when the database or the process itself fails for a while. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { PATIENCE } from '../../../../test/support/patience.ts';
import { openPool } from '../../../platform/db/database.ts';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/db.ts';
import { createTimedQuery, type TimedQuery } from '../../../platform/db/timed-query.ts';
import { createRouteMap, type RouteMap } from './route-map.ts';
import { type RouteChangeRow, selectRouteChanges } from './route.system-store.ts';
import { insertWorkspace, PLAIN, putRoute } from '../../../../test/support/links/redirect.ts';

/** No transaction of a test has this number. */
const FAR = '999999999999';

let database: TestDatabase;
let workspaceId: string;
let real: TimedQuery;
let pool: ReturnType<typeof openPool>;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = openPool({ ...database.connection, max: 3 }, () => {});
  real = createTimedQuery(pool, database.db);
  workspaceId = await insertWorkspace(database);
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

const log = { info() {}, warn() {} };
const findUrl = async (map: RouteMap, slug: string) => (await map.findRoute(slug))?.route.url;

/** @param change modifies the results of reading changes */
async function withMap(
  change: (rows: RouteChangeRow[]) => Promise<void> | void,
  work: (map: RouteMap, pass: (ms: number) => void) => Promise<void>,
): Promise<void> {
  let passed = 0;
  const map = createRouteMap({
    log,
    now: () => performance.now() + passed,
    async query(statement, ms) {
      const rows = await real(statement, ms);
      if ((rows[0] as object | undefined) && 'snapshot' in rows[0]!)
        await change(rows as unknown as RouteChangeRow[]);
      return rows;
    },
  });
  map.start();
  try {
    await vi.waitFor(() => expect(map.staleness()).toBeLessThan(1), PATIENCE);
    await work(map, (ms) => (passed += ms));
  } finally {
    await map.stop();
  }
}

const writeRoute = (slug: string, url: string) =>
  database.pool.query('update link_routes set route = $1 where slug = $2', [
    JSON.stringify({ ...PLAIN, url }),
    slug,
  ]);

test('a process that stood still within a reading does not go by it', async () => {
  await putRoute(database, workspaceId, 'still', { url: 'https://before.test/' });
  let gate: PromiseWithResolvers<void> | null = null;
  let held = false;
  await withMap(
    async () => {
      held = gate !== null;
      await gate?.promise;
    },
    async (map, pass) => {
      expect(await findUrl(map, 'still')).toBe('https://before.test/');
      gate = Promise.withResolvers();
      await vi.waitFor(() => expect(held).toBe(true), PATIENCE);
      await putRoute(database, workspaceId, 'still', { url: 'https://after.test/' });
      pass(10_000);
      expect(map.peekRoute('still')).toBeUndefined();
      const found = findUrl(map, 'still');
      gate.resolve();
      gate = null;
      expect(await found).toBe('https://after.test/');
    },
  );
});

test('a server that was started anew may give numbers of transactions a second time', async () => {
  await putRoute(database, workspaceId, 'again', { url: 'https://before.test/' });
  let isRestarted = false;
  await withMap(
    ([row]) => {
      if (!isRestarted) row!.running_since = 'before';
    },
    async (map) => {
      expect(await findUrl(map, 'again')).toBe('https://before.test/');
      await writeRoute('again', 'https://after.test/');
      await database.pool.query(
        `insert into route_changes (xid, workspace_id, domain, slug) values ('3', $1, '', 'again')`,
        [workspaceId],
      );
      isRestarted = true;
      await vi.waitFor(async () => expect(await findUrl(map, 'again')).toBe('https://after.test/'), PATIENCE);
    },
  );
});

test('a server that has not come as far as the one before is begun with anew', async () => {
  await putRoute(database, workspaceId, 'behind', { url: 'https://before.test/' });
  let isOther = false;
  await withMap(
    ([row]) => {
      if (!isOther) row!.snapshot = `${FAR}:${FAR}:`;
    },
    async (map) => {
      expect(await findUrl(map, 'behind')).toBe('https://before.test/');
      isOther = true;
      await putRoute(database, workspaceId, 'behind', { url: 'https://after.test/' });
      await vi.waitFor(
        async () => expect(await findUrl(map, 'behind')).toBe('https://after.test/'),
        PATIENCE,
      );
    },
  );
});

test('changes are read once: of those that were restored from elsewhere, and while a transaction stays open', async () => {
  const [{ snapshot }] = (await real(selectRouteChanges(null, 10), 5_000)) as [RouteChangeRow];
  const changesSince = async (since: string) =>
    (await real(selectRouteChanges(since, 10), 5_000)).filter((row) => row.workspace_id !== null);
  await database.pool.query(
    `insert into route_changes (xid, workspace_id, domain, slug) values ($1, $2, '', 'restored')`,
    [FAR, workspaceId],
  );
  expect(await changesSince(snapshot)).toEqual([]);
  const open = await database.pool.connect();
  try {
    await open.query('begin');
    await open.query(`insert into route_changes (workspace_id, domain, slug) values ($1, '', 'late')`, [
      workspaceId,
    ]);
    await putRoute(database, workspaceId, 'early');
    const [first] = await changesSince(snapshot);
    expect(first).toMatchObject({ slug: 'early' });
    expect(await changesSince(first!.snapshot)).toEqual([]);
    await open.query('commit');
    const [second, ...more] = await changesSince(first!.snapshot);
    expect(second).toMatchObject({ slug: 'late' });
    expect(more).toEqual([]);
    expect(await changesSince(second!.snapshot)).toEqual([]);
  } finally {
    open.release();
  }
});
