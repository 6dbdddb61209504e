import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../test/support/db.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { startTestApp } from '../../../test/support/test-app.ts';
import { checkIndexBuilds, createIndexBuilder, type IndexBuilder } from './index-builds.ts';
import { makeAhead } from './partitions.ts';
import { firstUuidAt } from './uuid-time.ts';

const log = { info: () => undefined, error: () => undefined };
let database: TestDatabase;
let builder: IndexBuilder;

const declare = (name: string, table: string, definition: string) =>
  sql`insert into index_builds (name, table_name, definition) values (${name}, ${table}, ${definition})`.execute(
    database.db,
  );
const makeDue = () => sql`update index_builds set next_attempt_at = now()`.execute(database.db);
async function state(name: string) {
  const { rows } = await sql<Record<string, unknown>>`
    select attempts, last_error, built_at is not null as built,
      (select indisvalid from pg_index where indexrelid = to_regclass(name)) as valid
    from index_builds where name = ${name}
  `.execute(database.db);
  return rows[0];
}
/** Waits until a session waits for a lock in a build. */
const untilBuildWaits = () =>
  vi.waitFor(async () => {
    const { rows } = await sql`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
        and query like 'create index concurrently%'
    `.execute(database.db);
    expect(rows).toHaveLength(1);
  }, 20_000);
const newBuilder = () => createIndexBuilder({ db: database.db, connection: database.connection, log });

beforeEach(async () => {
  database = await createTestDatabase();
  await sql`create table large (id int primary key, body text)`.execute(database.db);
  await sql`insert into large select n, 'body ' || n from generate_series(1, 1000) n`.execute(database.db);
  builder = newBuilder();
});
afterEach(async () => {
  await builder.stop();
  await database.drop();
});

test('builds while a writer holds the table and others insert, none of whom waits', async () => {
  await declare('large_body', 'large', '(body)');
  const writer = await database.pool.connect();
  await writer.query(`begin; insert into large values (2001, 'open')`);
  const building = builder.build();
  await untilBuildWaits();
  await database.db.transaction().execute(async (tx) => {
    await sql`set local lock_timeout = '1ms'`.execute(tx);
    await sql`insert into large values (2002, 'while it is built')`.execute(tx);
  });
  await writer.query(`insert into large values (2003, 'still open'); commit`);
  writer.release();
  await building;
  expect(await state('large_body')).toEqual({ attempts: 1, last_error: null, built: true, valid: true });
  await builder.build();
  expect(await state('large_body')).toMatchObject({ attempts: 1 });
});

test('drops what a killed build left, and completes it', async () => {
  await declare('large_body', 'large', '(body)');
  const writer = await database.pool.connect();
  await writer.query(`begin; insert into large values (2001, 'open')`);
  const killed = builder.build();
  await untilBuildWaits();
  // While one process builds, another finds nothing to do.
  await makeDue();
  await newBuilder().build();
  await builder.stop();
  await killed.catch(() => undefined);
  await writer.query('commit');
  writer.release();
  expect(await state('large_body')).toEqual({ attempts: 1, last_error: null, built: false, valid: false });
  builder = newBuilder();
  await builder.build();
  expect(await state('large_body')).toEqual({ attempts: 2, last_error: null, built: true, valid: true });
});

test('records an error, is degraded, and retries later', async () => {
  await declare('large_body', 'large', '(md5(body), (1 / (id - 500)))');
  await builder.build();
  expect(await state('large_body')).toMatchObject({
    attempts: 1,
    last_error: 'division by zero',
    built: false,
  });
  expect(await checkIndexBuilds(database.db)).toBe('degraded');
  await sql`delete from large where id = 500`.execute(database.db);
  await builder.build();
  expect(await state('large_body')).toMatchObject({ attempts: 1 });
  await makeDue();
  await builder.build();
  expect(await state('large_body')).toEqual({ attempts: 2, last_error: null, built: true, valid: true });
  expect(await checkIndexBuilds(database.db)).toBe('ok');
});

test('builds the index of each partition, of those to come too', async () => {
  const { db } = database;
  const day = new Date('2026-03-10T12:00:00Z');
  await sql`create table parts (id uuid primary key, body text) partition by range (id)`.execute(db);
  await sql`create table parts_default partition of parts default`.execute(db);
  await makeAhead(db, 'parts', 1, day);
  await sql`insert into parts values (${firstUuidAt(day)}, 'x')`.execute(db);
  await declare('parts_body', 'parts', '(body)');
  const writer = await database.pool.connect();
  await writer.query('begin; lock table parts in row exclusive mode');
  await builder.build();
  expect(await state('parts_body')).toMatchObject({ attempts: 1, built: false });
  await writer.query('commit');
  writer.release();
  await makeDue();
  await builder.build();
  expect(await state('parts_body')).toEqual({ attempts: 2, last_error: null, built: true, valid: true });
  await makeAhead(db, 'parts', 3, day);
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from pg_inherits where inhparent = 'parts_body'::regclass
  `.execute(db);
  expect(rows).toEqual([{ n: 5 }]);
  expect(await state('parts_body')).toMatchObject({ valid: true });
});

test('builds again what a restored or moved database lacks', async () => {
  await declare('large_body', 'large', '(body)');
  await builder.build();
  await sql`drop index large_body`.execute(database.db);
  await makeDue();
  await builder.build();
  expect(await state('large_body')).toMatchObject({ attempts: 2, valid: true });
});

test('is part of the server, whose `/readyz` reports a failure', async () => {
  await declare('large_body', 'large', '(body)');
  await declare('large_wrong', 'large', '(wrong)');
  await using folder = await temporaryFolder();
  const app = await startTestApp({}, { database, config: { DATA_DIR: folder.path } });
  try {
    await vi.waitFor(async () => {
      expect(await state('large_body')).toMatchObject({ valid: true });
      expect(await state('large_wrong')).toMatchObject({ last_error: 'column "wrong" does not exist' });
    }, 20_000);
    const ready = await fetch(`${app.base}/readyz`);
    expect(await ready.json()).toMatchObject({ status: 'degraded', checks: { indexes: 'degraded' } });
    expect(ready.status).toBe(200);
  } finally {
    await app.stop();
  }
});
