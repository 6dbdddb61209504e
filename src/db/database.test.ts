import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from './testing.ts';

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
