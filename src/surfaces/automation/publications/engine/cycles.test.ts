import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../../test/support/db.ts';
import { FIRST_UUID } from '../../../../platform/db/uuid-time.ts';
import { newUuid } from '../../../../platform/http/ids.ts';
import { claimDue } from './publication-queue.system-store.ts';

const BUCKET = 7;
let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

async function queue(endpointId: string, count: number, dueAt: string): Promise<void> {
  await database.pool.query(
    `insert into publication_queue (publication_id, workspace_id, endpoint_id, bucket, due_at)
     select gen_random_uuid(), $1, $2, $3, $4::timestamptz + n * interval '1 ms' from generate_series(1, $5) n`,
    [newUuid(), endpointId, BUCKET, dueAt, count],
  );
}

const taken = async (after: string) => {
  const rows = await database.db.transaction().execute((tx) => claimDue(tx, BUCKET, 100, after));
  expect(rows.map(({ due_at: at }) => at)).toEqual(
    rows.map(({ due_at: at }) => at).sort((a, b) => a.getTime() - b.getTime()),
  );
  return { count: rows.length, endpoints: [...new Set(rows.map(({ endpoint_id: id }) => id))] };
};

test('endpoints of a bucket take turns, however much waits for one of them', async () => {
  const [flooded, later, other] = [newUuid(), newUuid(), newUuid()];
  await queue(flooded, 1_000, '2026-01-01T00:00:00Z');
  await queue(later, 5, '2100-01-01T00:00:00Z');
  await queue(other, 2, '2026-01-02T00:00:00Z');
  expect(await taken(FIRST_UUID)).toEqual({ count: 100, endpoints: [flooded] });
  expect(await taken(flooded)).toEqual({ count: 2, endpoints: [other] });
  // Behind the last the first is next; what is not due yet is passed over.
  expect(await taken(other)).toEqual({ count: 100, endpoints: [flooded] });
  expect(await taken(later)).toEqual({ count: 2, endpoints: [other] });
});
