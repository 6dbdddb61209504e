import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { newUuid } from '../http/ids.ts';
import { followClock } from './clock-guard.ts';
import { DUE_COLUMNS, LEASES, recordTime } from './clock-guard.system-store.ts';
import { createTestDatabase, type TestDatabase } from '../../../test/support/db.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  await query('truncate delivery_queue, receivers, delivery_workers, publication_queue, publications');
  await query('update database_clock set seen_at = now()');
});

// oxlint-disable-next-line typescript/no-explicit-any -- tests look into any row
const query = async (text: string, values: unknown[] = []): Promise<any[]> =>
  (await database.pool.query(text, values)).rows;
const set = (back: string) => query(`update database_clock set seen_at = now() + $1::interval`, [back]);
const WORKSPACE = newUuid();

async function lay(due: string): Promise<string> {
  const id = newUuid();
  await query(
    `insert into delivery_queue (delivery_id, workspace_id, receiver_id, event_id, position, due_at)
     values ($1, $2, $1, $1, 1, ${due})`,
    [id, WORKSPACE],
  );
  return id;
}
/** Seconds until it is due. */
const getDelay = async (id: string): Promise<number> =>
  (
    await query(
      'select extract(epoch from due_at - now())::float8 as wait from delivery_queue where delivery_id = $1',
      [id],
    )
  )[0].wait;

test.each([
  ['90 seconds', 90],
  ['1 day', 86_400],
])('a clock that was set back by %s moves what waits', async (back, seconds) => {
  const late = await lay(`now() - interval '1 hour'`);
  const due = await lay(`now() + interval '${back}' - interval '1 second'`);
  const retry = await lay(`now() + interval '${back}' + interval '60 seconds'`);
  await lay(`'infinity'`);
  await set(back);
  expect(await followClock(database.db)).toBeCloseTo(seconds * 1_000, -3);
  expect(await getDelay(late)).toBeLessThan(-3_000);
  expect(await getDelay(due)).toBeLessThan(0);
  expect(await getDelay(retry)).toBeGreaterThan(50);
  expect(await getDelay(retry)).toBeLessThan(61);
  expect(await query(`select from delivery_queue where due_at = 'infinity'`)).toHaveLength(1);
  // Times are moved once, by the first process.
  expect(await Promise.all([followClock(database.db), followClock(database.db)])).toEqual([null, null]);
  expect(await getDelay(retry)).toBeGreaterThan(50);
});

test('a clock that goes on, or is corrected by less than a second, moves nothing', async () => {
  const retry = await lay(`now() + interval '60 seconds'`);
  await set('-1 day');
  expect(await followClock(database.db)).toBeNull();
  expect(await recordTime(database.db)).toBeLessThan(1_000);
  await set('500 milliseconds');
  expect(await followClock(database.db)).toBeNull();
  expect(await getDelay(retry)).toBeGreaterThan(50);
});

test('of several processes that see it one moves it', async () => {
  const retry = await lay(`now() + interval '1 day' + interval '60 seconds'`);
  await set('1 day');
  const moved = await Promise.allSettled(Array.from({ length: 4 }, () => followClock(database.db)));
  const done = moved.filter((one) => one.status === 'fulfilled' && one.value !== null);
  expect(done).toHaveLength(1);
  expect(await getDelay(retry)).toBeGreaterThan(50);
});

test('a lease of a dead process ends as soon as any, and one that is renewed stays', async () => {
  await query(`insert into delivery_workers (id, lease_until) values
    ('${newUuid()}', now() + interval '1 day' + interval '10 seconds'), ('${newUuid()}', now() + interval '10 seconds')`);
  await set('1 day');
  await followClock(database.db);
  const leases = await query(
    'select extract(epoch from lease_until - now())::float8 as left from delivery_workers order by 1',
  );
  expect(leases[0].left).toBeGreaterThan(8);
  expect(leases[1].left).toBeLessThan(17);
});

test('a time that a user chose stays', async () => {
  const [chosen, retried] = [newUuid(), newUuid()];
  for (const [id, status] of [
    [chosen, 'scheduled'],
    [retried, 'publishing'],
  ]) {
    await query(
      `insert into publications (workspace_id, id, endpoint_id, revision, status, source, size, created_by, created_at, updated_at)
       values ($1, $2, $2, 1, $3, 'bearer', 0, 'x', now(), now())`,
      [WORKSPACE, id, status],
    );
    await query(
      `insert into publication_queue (publication_id, workspace_id, endpoint_id, bucket, due_at)
       values ($1, $2, $1, 1, now() + interval '2 days')`,
      [id, WORKSPACE],
    );
  }
  await set('1 day');
  await followClock(database.db);
  const due = await query(
    `select publication_id as id, round(extract(epoch from due_at - now()) / 86400)::int as days from publication_queue order by days`,
  );
  expect(due).toEqual([
    { id: retried, days: 1 },
    { id: chosen, days: 2 },
  ]);
});

/** Columns that are named like those that wait for a time, and need not be moved with the clock. */
const KEPT = [
  // Chosen by a user, or reported by a channel.
  'scheduled_messages.due_at',
  'key_hashes.valid_until',
  'publishing_endpoints.previous_secret_until',
  'webhooks.previous_secret_until',
  'chats.muted_until',
  'instances.restriction_until',
  // Harmless if it lasts longer by that time.
  'event_wants.until',
];

test('every column that waits for a time is moved', async () => {
  const columns = await query(`
    select c.relname || '.' || attname as name from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace
      and a.atttypid = 'timestamptz'::regtype and attname ~ '(^|_)(due|next|check|until|lease|held|ends|tokens)(_|$)'`);
  const moved = Object.entries({ ...DUE_COLUMNS, ...LEASES }).flatMap(([table, own]) =>
    [own].flat().map((column) => `${table}.${column}`),
  );
  expect(columns.map(({ name }) => name).filter((name) => ![...moved, ...KEPT].includes(name))).toEqual([]);
});
