import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase, openPool } from '../../platform/db/database.ts';
import { createTestDatabase, type TestDatabase } from '../../../test/support/db.ts';
import { claim, hashRequest, type RequestMark, store, storeErrorAnswer } from './idempotency.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

test('a refusal that is stored late does not replace the success of the same request sent again', async () => {
  const pool = openPool({ ...database.connection, max: 2 }, () => {});
  const db = openDatabase(pool);
  const mark: RequestMark = {
    actor: 'key_a',
    operation: 'POST /api/v1/workspaces',
    key: 'once',
    workspaceId: null,
    hash: hashRequest(Buffer.alloc(32, 1), null, { name: 'Acme' }),
  };
  const success = { status: 201, headers: {}, body: { id: 'ws_1' } };
  const refusal = { status: 409, headers: {}, body: { problem: { code: 'slug_taken' } } };

  await db.transaction().execute((tx) => store(tx, mark, success));
  await storeErrorAnswer(db, mark, refusal);
  expect(await db.transaction().execute((tx) => claim(tx, mark))).toEqual(success);

  await database.pool.query("update idempotency_keys set created_at = now() - interval '25 hours'");
  await storeErrorAnswer(db, mark, refusal);
  expect(await db.transaction().execute((tx) => claim(tx, mark))).toEqual(refusal);
  await pool.end();
});

test('without its key nobody can tell from what is stored what a request held', () => {
  const [first, second] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
  const body = { credentials: { password: 'hunter2', user: 'ada' } };
  const plain = createHash('sha256')
    .update(JSON.stringify([null, body]))
    .digest();
  expect(hashRequest(first, null, body)).not.toEqual(plain);
  expect(hashRequest(first, null, body)).not.toEqual(hashRequest(second, null, body));
  // The order of members does not matter.
  const turned = { credentials: { user: 'ada', password: 'hunter2' } };
  expect(hashRequest(first, null, turned)).toEqual(hashRequest(first, null, body));
});
