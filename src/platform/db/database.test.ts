import { Kysely, PostgresDialect } from 'kysely';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openPool } from './database.ts';
import { createTestDatabase, type TestDatabase } from '../../../test/support/db.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

test('a connection that idles in a transaction is ended, so that a frozen process holds no locks for long', async () => {
  const shown = await database.pool.query('show idle_in_transaction_session_timeout');
  expect(shown.rows).toEqual([{ idle_in_transaction_session_timeout: '15s' }]);

  await database.pool.query('create table things (id integer primary key); insert into things values (1)');
  const frozen = await database.pool.connect();
  await frozen.query(
    "begin; set local idle_in_transaction_session_timeout = '200ms'; update things set id = 2",
  );
  const lost = vi.fn<(error: Error) => void>();
  frozen.on('error', lost);
  await database.pool.query('update things set id = 3');
  await vi.waitFor(() => expect(lost).toHaveBeenCalled());
  expect((await database.pool.query('select id from things')).rows).toEqual([{ id: 3 }]);
  frozen.release(true);
});

test('a statement that returns all columns works on after a migration added one', async () => {
  const pool = openPool({ ...database.connection, max: 1 }, (error) => expect.unreachable(error.message));
  const db = new Kysely<{ letters: { id: number } }>({ dialect: new PostgresDialect({ pool }) });
  try {
    await pool.query('create table letters (id integer primary key)');
    const returningAll = (id: number) => db.insertInto('letters').values({ id }).returningAll().execute();
    const selectAll = () => db.selectFrom('letters').selectAll().where('id', '=', 1).execute();
    const selectAllFor = () => db.selectFrom('letters').selectAll('letters').where('id', '=', 1).execute();
    const first = [{ id: 1 }];
    expect([await returningAll(1), await selectAll(), await selectAllFor()]).toEqual([first, first, first]);
    await pool.query('alter table letters add column name text');
    const now = [{ id: 1, name: null }];
    const second = [{ id: 2, name: null }];
    expect([await returningAll(2), await selectAll(), await selectAllFor()]).toEqual([second, now, now]);
  } finally {
    await pool.end();
  }
});

test('a pool keeps as many connections open as it is told to', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const pool = openPool({ ...database.connection, max: 6, min: 2 }, (error) =>
    expect.unreachable(error.message),
  );
  try {
    const clients = await Promise.all(Array.from({ length: 6 }, () => pool.connect()));
    for (const client of clients) client.release();
    expect([pool.totalCount, pool.idleCount]).toEqual([6, 6]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect([pool.totalCount, pool.idleCount]).toEqual([2, 2]);
  } finally {
    vi.useRealTimers();
    await pool.end();
  }
});
