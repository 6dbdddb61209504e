/**
 * Tests that the cost of loading events for deliveries and runs depends only on their number, not on the distance
 * between the oldest and the newest.
 */
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Db } from '../../platform/db/database.ts';
import { createTestDatabase, type TestDatabase } from '../../../test/support/db.ts';
import { newUuid } from '../../platform/http/ids.ts';
import { loadEvents } from './load-events.system-store.ts';

const WORKSPACES = [newUuid(), newUuid(), newUuid()];
const KNOWN = 3000;
const ALL = 33_000;
let database: TestDatabase;

/** In the order of their numbers, as IDs are in the order of time. */
const getId = (n: number): string => `${n.toString(16).padStart(8, '0')}-0000-7000-8000-000000000000`;
const buildWanted = (n: number) => ({ workspace_id: WORKSPACES[n % 3]!, event_id: getId(n) });

async function insertEvents(from: number, to: number): Promise<void> {
  await database.pool.query(
    `insert into events (id, workspace_id, sequence, type, data, created_at)
     select (lpad(to_hex(n), 8, '0') || '-0000-7000-8000-000000000000')::uuid, ($1::uuid[])[n % 3 + 1], n, 'ping', '{}', now()
     from generate_series($2::int, $3::int) n`,
    [WORKSPACES, from, to],
  );
}

beforeAll(async () => {
  database = await createTestDatabase();
  await insertEvents(1, KNOWN);
  await database.pool.query('analyze events');
  // The planner has no statistics about rows added since the last analysis.
  await insertEvents(KNOWN + 1, ALL);
});
afterAll(() => database.drop());

/** Rows of the log that `work` looks at. */
const lookedAt = (work: (db: Db) => Promise<unknown>): Promise<number> =>
  database.db.transaction().execute(async (tx) => {
    const looked = async (): Promise<number> => {
      const { rows } = await sql<{ looked: number }>`
        select sum(coalesce(idx_tup_fetch, 0) + seq_tup_read)::int as looked from pg_stat_xact_user_tables
        where relname like 'events%'
      `.execute(tx);
      return rows[0]!.looked;
    };
    const before = await looked();
    await work(tx);
    return (await looked()) - before;
  });

test('a few that waited long and those of now are read, not what lies between them', async () => {
  const numbers = Array.from({ length: 50 }, (_, n) => [KNOWN + 1 + n, ALL - n]).flat();
  const wanted = numbers.map(buildWanted);
  let found: string[] = [];
  const looked = await lookedAt(async (db) => (found = [...(await loadEvents(db, wanted)).keys()]));
  expect(found.toSorted()).toEqual(numbers.map(getId).toSorted());
  expect(looked).toBeLessThan(4 * wanted.length);
});

test("another workspace's event is not loaded, even by its id", async () => {
  const { event_id } = buildWanted(1);
  expect((await loadEvents(database.db, [{ ...buildWanted(2), event_id }])).size).toBe(0);
  expect((await loadEvents(database.db, [buildWanted(1)])).size).toBe(1);
});
