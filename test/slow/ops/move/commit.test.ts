/** A connection that is lost in the very moment of the commit: what is told is what became of it. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { type CopyClient, openCopyClient } from '../../../../src/platform/db/copy/client.ts';
import { isConnectionError } from '../../../../src/platform/db/database.ts';
import { readFreezeRecord } from '../../../../src/platform/db/copy/freeze.ts';
import { createTestDatabase, type TestDatabase } from '../../../support/db.ts';
import { type DatabaseProxy, startDatabaseProxy } from '../../../support/database-proxy.ts';
import { startTestApp, startWorkspace, type TestApp } from '../../../support/test-app.ts';
import { inCommitted } from '../../../../src/ops/move/commit.ts';
import { move, type MoveOptions, undoMove } from '../../../../src/ops/move/move.ts';

const PATIENT = { timeout: 240_000 };
const NEW = 'db.example.com:5432/fairlead';
let app: TestApp;
let home: Awaited<ReturnType<typeof startWorkspace>>;
let target: TestDatabase;
let way: DatabaseProxy;

beforeAll(async () => {
  app = await startTestApp();
  home = await startWorkspace(app);
});
beforeEach(async () => {
  target = await createTestDatabase('template0');
  way = await startDatabaseProxy(target.connection);
});
afterEach(async () => {
  await way?.stop();
  await target?.drop();
  await undoMove(app.database.connection);
});
afterAll(() => app?.stop());

const options = (): MoveOptions => ({
  source: app.database.connection,
  target: way.connection,
  targetName: NEW,
});
async function noted(): Promise<string | undefined> {
  const client = await openCopyClient(app.database.connection);
  try {
    return (await readFreezeRecord(client))?.fairlead;
  } finally {
    await client.end();
  }
}
const users = async ({ pool }: TestDatabase): Promise<number> =>
  (await pool.query('select count(*)::int as n from users')).rows[0].n;
const write = (slug: string) =>
  app.call('/links', { key: home.key, body: { url: 'https://example.com/', slug } });

/** Does it once the target has committed, in place of the answer. */
const atCommit = (work: () => Promise<void>): Promise<void> =>
  new Promise((resolve, reject) => {
    way.onCommit('fairlead copy', () => void work().then(resolve, reject));
  });
/** The way is cut, and open to new connections again. */
async function cutOnce(): Promise<void> {
  await way.cut();
  way.swallow(false);
  await way.mend();
}

test('where the answer to the commit is lost the move asks, and goes on', async () => {
  const cut = atCommit(cutOnce);
  const { tables } = await move(options());
  await cut;
  expect(tables.get('public.users')!.rows).toBe(await users(target));
  expect(await users(target)).toBeGreaterThan(0);
  expect(await noted()).toBe('moved');
});

test('where the connection to the old database is lost then, too, it is marked over another', async () => {
  const cut = atCommit(async () => {
    await app.database.pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and application_name = 'fairlead copy'`,
    );
    await cutOnce();
  });
  await move(options());
  await cut;
  expect([await noted(), await users(target)]).toEqual(['moved', await users(app.database)]);
});

test('where the old one can not be reached any more it stays read-only, and the same move completes it', async () => {
  const source = await startDatabaseProxy(app.database.connection);
  const cut = atCommit(async () => {
    await source.cut();
    await cutOnce();
  });
  const moving = move({ ...options(), source: source.connection });
  await expect(moving).rejects.toThrow(
    /All data is in the new database.*Run the command again with the same URL/,
  );
  await cut;
  expect(await noted()).toBe('moving');
  expect((await move(options())).tables.get('public.users')!.rows).toBe(await users(target));
  expect(await noted()).toBe('moved');
});

test('where the new one can not be asked that is told, and the next move finds it in use', async () => {
  const cut = atCommit(() => way.cut());
  const moving = move({ ...options(), askMs: 100 });
  await expect(moving).rejects.toThrow(/can't be asked whether it holds everything/);
  await cut;
  await vi.waitFor(async () => expect(await write('open')).toHaveStatus(201), PATIENT);
  way.swallow(false);
  await way.mend();
  await expect(move(options())).rejects.toThrow(/in use there/);
  expect(await write('still-open')).toHaveStatus(201);
});

test('a stop in that moment tells what became of it as well', async () => {
  const stopping = new AbortController();
  const cut = atCommit(async () => {
    way.swallow(false);
    stopping.abort(new Error('Stopped.'));
  });
  const { tables } = await move({ ...options(), signal: stopping.signal });
  await cut;
  expect(tables.get('public.users')!.rows).toBe(await users(target));
  expect(await noted()).toBe('moved');
});

test('a transaction that never heard of the commit is ended, and nothing is there', async () => {
  const client = await openCopyClient(target.connection);
  await client.query('create table kept (n int)');
  // What the server sees of a machine that has vanished: nothing.
  const vanishing = {
    query: (text: string) =>
      ['commit', 'rollback'].includes(text) ? Promise.reject(new Error('lost')) : client.query(text),
  };
  const work = () => client.query('insert into kept values (1)');
  const direct = { connection: target.connection, name: NEW };
  await expect(inCommitted(vanishing as unknown as CopyClient, direct, work)).rejects.toThrow('lost');
  await expect(client.query('select')).rejects.toSatisfy(isConnectionError);
  expect((await target.pool.query('select from kept')).rowCount).toBe(0);
});
