/**
 * Tests moves that are interrupted or run concurrently: a database that is still writable is never reported as moved,
 * and one that stays read-only always is.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openCopyClient } from '../../platform/db/copy/client.ts';
import { getOutline } from '../../platform/db/copy/outline.ts';
import { isConnectionError } from '../../platform/db/database.ts';
import {
  assertNotMoved,
  freeze,
  readFreezeRecord,
  markMoved,
  movingTo,
  thaw,
  tryMovingAlone,
} from '../../platform/db/copy/freeze.ts';
import { createTestDatabase, type TestDatabase } from '../../../test/support/db.ts';
import { move, undoMove } from './move.ts';
import { lockAll } from './passes.ts';

const PATIENT = { timeout: 240_000 };
const NEW = 'db.example.com:5432/fairlead';
let source: TestDatabase;
let target: TestDatabase;

beforeAll(async () => {
  source = await createTestDatabase();
  target = await createTestDatabase('template0');
});
afterAll(async () => {
  await target?.drop();
  await source?.drop();
});

const options = () => ({ source: source.connection, target: target.connection, targetName: NEW });

const isWritable = async (): Promise<boolean> =>
  (await source.pool.query(`select current_setting('transaction_read_only') = 'off' as open`)).rows[0].open;

test('two moves of one database cannot run at the same time', async () => {
  const other = await openCopyClient(source.connection);
  expect(await tryMovingAlone(other)).toBe(true);
  await expect(move(options())).rejects.toThrow(/Another move of this database/);
  await other.end();
});

test('a source made writable again is not marked as moved, and only its own move makes it writable again', async () => {
  const client = await openCopyClient(source.connection);
  const mine = movingTo(NEW, new Date(1));
  await freeze(client, mine);
  expect(await undoMove({ ...source.connection }).catch(() => 'cut')).toBe(NEW);
  const again = await openCopyClient(source.connection);
  await expect(markMoved(again, mine, NEW, new Date())).rejects.toThrow(/made writable again/);
  expect(await readFreezeRecord(again)).toBeNull();

  const others = movingTo(NEW, new Date(2));
  await freeze(again, others);
  expect(await thaw(again, mine)).toEqual(others);
  expect(await readFreezeRecord(again)).toEqual(others);
  await markMoved(again, others, NEW, new Date());
  await expect(freeze(again, mine)).rejects.toThrow(/has since been moved to/);
  await thaw(again);
  await again.end();
  await client.end();
});

test('keeps an operator comment on the database before and after the record of the move', async () => {
  const client = await openCopyClient(source.connection);
  const comment = async (): Promise<string | null> =>
    (
      await client.query(
        `select shobj_description(oid, 'pg_database') as text from pg_database where datname = current_database()`,
      )
    ).rows[0].text;
  const words = `Of the team "links", don't drop.\nAsk {"fairlead": us}\n`;
  await client.query(`comment on database ${source.name} is ${client.escapeLiteral(words)}`);
  const mine = movingTo(NEW, new Date(3));
  await freeze(client, mine);
  expect(await comment()).toBe(`${words}\n${JSON.stringify(mine)}`);
  await markMoved(client, mine, NEW, new Date(4));
  expect(await readFreezeRecord(client)).toMatchObject({ fairlead: 'moved', to: NEW });
  await expect(assertNotMoved(source.db)).rejects.toThrow(/was moved to/);
  await thaw(client);
  expect(await comment()).toBe(words);
  await client.query(`comment on database ${source.name} is null`);
  await freeze(client, mine);
  expect(await comment()).toBe(JSON.stringify(mine));
  await thaw(client);
  expect(await comment()).toBeNull();
  await client.end();
});

test('sessions opened before the freeze are terminated, whatever they do', async () => {
  const busy = source.pool.query('select pg_sleep(600)').catch((error: unknown) => error);
  await vi.waitFor(async () => {
    const { rows } = await source.pool.query(
      `select from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`,
    );
    expect(rows).toHaveLength(1);
  }, PATIENT);
  const client = await openCopyClient(source.connection);
  await freeze(client, movingTo(NEW, new Date()));
  const { rows } = await client.query(
    `select from pg_stat_activity where datname = current_database() and query like 'select pg_sleep%'`,
  );
  expect(rows).toEqual([]);
  expect(await busy).toSatisfy(isConnectionError);
  await thaw(client);
  await client.end();
});

test('if the connection that froze the source is lost, another one makes it writable again', async () => {
  let cut: Promise<unknown> | undefined;
  const onFrozen = (): void => {
    cut = source.pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and application_name = 'fairlead copy'`,
    );
  };
  await expect(move({ ...options(), thoroughly: true, onFrozen })).rejects.toSatisfy(isConnectionError);
  await cut;
  await vi.waitFor(async () => expect(await isWritable()).toBe(true), PATIENT);
  const client = await openCopyClient(source.connection);
  expect(await readFreezeRecord(client)).toBeNull();
  await client.end();
});

test('a session that still writes, and locks in another order, finishes first', async () => {
  const [reader, holder, writer] = await Promise.all([
    openCopyClient(source.connection),
    openCopyClient(source.connection),
    openCopyClient(source.connection),
  ]);
  const waiting = (count: number): Promise<void> =>
    vi.waitFor(async () => {
      const { rows } = await source.pool.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      expect(rows).toHaveLength(count);
    }, PATIENT);
  const { tables } = await getOutline(reader);
  const chosen = ['links', 'tags', 'contacts'].map((name) => tables.find((table) => table.name === name)!);
  await reader.query('set default_transaction_read_only = on');
  await holder.query('begin; lock table tags in access exclusive mode');
  await writer.query('begin; lock table contacts in row exclusive mode');
  const locked = lockAll(reader, chosen);
  locked.catch(() => undefined);
  await waiting(1);
  const written = writer.query('lock table links in row exclusive mode').then(() => writer.query('commit'));
  await waiting(2);
  // PostgreSQL checks for a deadlock once, after waiting for 1 s; after that only the reader can detect it.
  await delay(5_000);
  await holder.query('commit');
  await written;
  await locked;
  const { rows } = await reader.query(
    `select from pg_locks where pid = pg_backend_pid() and mode = 'ShareLock' and relation = any(array['links', 'tags', 'contacts']::regclass[])`,
  );
  expect(rows).toHaveLength(3);
  for (const client of [reader, holder, writer]) await client.end();
});

test('can be stopped while it waits for the source', async () => {
  const holder = await source.pool.connect();
  await holder.query('begin');
  await holder.query('lock table tags in access exclusive mode');
  const stopping = new AbortController();
  const moving = move({ ...options(), signal: stopping.signal });
  moving.catch(() => undefined);
  try {
    await vi.waitFor(async () => {
      const { rows } = await source.pool.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      expect(rows).toHaveLength(1);
    }, PATIENT);
    stopping.abort(new Error('Stopped.'));
    await expect(moving).rejects.toThrow('Stopped.');
  } finally {
    await holder.query('rollback');
    holder.release();
  }
});

test('timeouts for idle sessions or transactions that an operator set do not end a copy', async () => {
  const bounds = (
    await source.pool.query<{ name: string }>(
      `select name from pg_settings where name in ('idle_session_timeout', 'transaction_timeout')`,
    )
  ).rows;
  for (const { name } of bounds)
    await source.pool.query(`alter database ${source.name} set ${name} = '50min'`);
  const client = await openCopyClient(source.connection);
  for (const { name } of bounds)
    expect((await client.query(`select current_setting($1) as bound`, [name])).rows[0].bound).toBe('0');
  await client.end();
  expect(bounds.length).toBeGreaterThan(0);
});
