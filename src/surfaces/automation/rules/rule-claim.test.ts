import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/db.ts';
import { newUuid } from '../../../platform/http/ids.ts';
import { addWorker } from './rule-lease.system-store.ts';
import { claim } from './rule-queue.system-store.ts';

const WORKSPACE = newUuid();
const WORKER = newUuid();
let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
  await addWorker(database.db, WORKER, 600_000);
});
afterAll(() => database.drop());

async function queue(ruleId: string, orderKey: string, count: number, dueAt: string): Promise<void> {
  await database.pool.query(
    `insert into rule_queue (id, workspace_id, rule_id, event_id, position, order_key, due_at)
     select gen_random_uuid(), $1, $2, gen_random_uuid(), n, $3, $4::timestamptz from generate_series(1, $5) n`,
    [WORKSPACE, ruleId, orderKey, dueAt, count],
  );
}

const claimed = async () =>
  ((await claim(database.db, WORKER, [{ workspaceId: WORKSPACE, limit: 24 }])) ?? []).map(
    ({ rule_id: id }) => id,
  );

test('what waits for one of its kind stands in no other rule’s way, however much it is', async () => {
  const [hot, other] = [newUuid(), newUuid()];
  await queue(hot, 'msg_1', 2_000, '2026-01-01T00:00:00Z');
  await queue(other, 'msg_2', 3, '2026-01-02T00:00:00Z');
  expect(await claimed()).toEqual([hot]);
  expect(await claimed()).toEqual([other]);
  expect(await claimed()).toEqual([]);
});
