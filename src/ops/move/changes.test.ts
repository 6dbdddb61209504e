/**
 * Tests the later passes of a move: they update the copy from a source that keeps changing, and prove that both are the
 * same.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { databaseOn, openCopyClient, type CopyClient } from '../../platform/db/copy/client.ts';
import { inFilling } from '../../platform/db/copy/fill.ts';
import { fullName, getOutline } from '../../platform/db/copy/outline.ts';
import { digestTable } from '../../platform/db/copy/rows.ts';
import { prepareTarget } from '../../platform/db/copy/target.ts';
import { freeze, movingTo, thaw } from '../../platform/db/copy/freeze.ts';
import { makeAhead, createNamedPartition, partitionName } from '../../platform/db/partitions.ts';
import type { Tx } from '../../platform/db/database.ts';
import { createTestDatabase, type TestDatabase } from '../../../test/support/db.ts';
import { firstUuidAt } from '../../platform/db/uuid-time.ts';
import { newUuid } from '../../platform/http/ids.ts';
import { isSince, keyedTables } from './keyed-tables.ts';
import { type Copied, firstPass, lastPass, nextPass } from './passes.ts';

const DAY_MS = 86_400_000;
const WORKSPACE = newUuid();
let source: TestDatabase;
let target: TestDatabase;
let filling: CopyClient;
let client: CopyClient;

const change = (text: string, values: unknown[] = []) => source.pool.query(text, values);

/** Counts in the target's transaction, whose rows are visible nowhere else. */
const count = async (from: string): Promise<number> =>
  (await filling.query<{ n: number }>(`select count(*)::int as n from ${from}`)).rows[0]!.n;

async function addTags(from: number, to: number): Promise<void> {
  await change(
    `insert into tags (id, workspace_id, name, color, created_at, updated_at)
     select md5('tag' || n)::uuid, $1, 'tag ' || n, 'gray', now(), now() from generate_series($2::int, $3::int) n`,
    [WORKSPACE, from, to],
  );
}

beforeAll(async () => {
  source = await createTestDatabase();
  target = await createTestDatabase('template0');
  filling = await openCopyClient(target.connection);
  client = await openCopyClient(source.connection);
  await prepareTarget(target.connection, await getOutline(client));
  await addTags(1, 3000);
});
afterAll(async () => {
  await filling?.end();
  await client?.end();
  await target?.drop();
  await source?.drop();
});

/** Lets a test run any number of further passes; the move is never completed. */
async function passing(work: (first: Copied, next: (last: Copied) => Promise<Copied>) => Promise<void>) {
  const undone = new Error('undone');
  await expect(
    inFilling(filling, async () => {
      const first = await firstPass(source.connection, filling);
      await work(first, (last) => nextPass(source.connection, filling, last));
      throw undone;
    }),
  ).rejects.toBe(undone);
}

/** Expects the digests computed from changes to equal the digests of the rows on both sides. */
async function expectSame({ digests }: Copied): Promise<void> {
  for (const table of (await getOutline(client)).tables) {
    const digest = digests.get(fullName(table));
    if (!digest) continue;
    expect([fullName(table), digest]).toEqual([fullName(table), await digestTable(client, table)]);
    expect([fullName(table), digest]).toEqual([fullName(table), await digestTable(filling, table)]);
  }
}

test('finds inserted, changed and deleted rows among many unchanged ones', () =>
  passing(async (first, next) => {
    expect(first.digests.get('public.tags')!.rows).toBe(3000);
    await addTags(3001, 3100);
    await change(`update tags set color = 'red' where name like 'tag 10__'`);
    await change(`delete from tags where name like 'tag 20__'`);
    const second = await next(first);
    // 100 inserted, 100 changed and 100 deleted; a changed row counts once, for its new version.
    expect(second.changed).toBe(300);
    expect(second.digests.get('public.tags')!.rows).toBe(3000);
    expect(await count(`tags where color = 'red'`)).toBe(100);
    await expectSame(second);
    const third = await next(second);
    expect(third.changed).toBe(0);
    await expectSame(third);
  }));

test('a unique name may move from one row to another, and a key may be reused', () =>
  passing(async (first, next) => {
    await change(`delete from tags where name = 'tag 1'`);
    await change(`update tags set name = 'tag 1' where name = 'tag 2'`);
    await change(`update tags set name = 'tag 2' where name = 'tag 3'`);
    await change(
      `insert into tags (id, workspace_id, name, color, created_at, updated_at) values (md5('tag1')::uuid, $1, 'tag 3', 'blue', now(), now())`,
      [WORKSPACE],
    );
    const second = await next(first);
    await expectSame(second);
    expect(await count(`tags where id = md5('tag1')::uuid and name = 'tag 3'`)).toBe(1);
  }));

test('a whole table may be emptied and another one filled', () =>
  passing(async (first, next) => {
    await change('create schema aside');
    await change('create table aside.tags as table tags');
    await change('truncate tags');
    const emptied = await next(first);
    expect(emptied.digests.get('public.tags')).toEqual({ rows: 0, checksum: '0'.repeat(32) });
    await expectSame(emptied);
    await change('insert into tags table aside.tags');
    const filled = await next(emptied);
    expect(filled.digests.get('public.tags')).toEqual(first.digests.get('public.tags'));
    await expectSame(filled);
  }));

test('a transaction that is open during the first pass is not missed', async () => {
  const writer = await openCopyClient(source.connection);
  try {
    await writer.query('begin');
    await writer.query('savepoint earlier');
    await writer.query(`update tags set color = 'lime' where name = 'tag 500'`);
    await passing(async (first, next) => {
      await writer.query('savepoint later');
      await writer.query(`update tags set color = 'teal' where name = 'tag 501'`);
      await addTags(9001, 9001);
      const second = await next(first);
      expect(second.changed).toBeGreaterThan(0);
      expect(await count(`tags where color in ('lime', 'teal')`)).toBe(0);
      await writer.query('commit');
      const third = await next(second);
      expect(await count(`tags where color in ('lime', 'teal')`)).toBe(2);
      await expectSame(third);
    });
  } finally {
    await writer.end();
  }
});

test('day partitions created or dropped meanwhile are created or dropped in the copy', () =>
  passing(async (first, next) => {
    const later = new Date(Date.now() + 40 * DAY_MS);
    await makeAhead(source.db, 'events', 0, later);
    const day = partitionName('events', later);
    await change(
      `insert into events (id, workspace_id, sequence, type, data, created_at)
       values ($2, $1, 1, 'ping', '{}', now())`,
      [WORKSPACE, firstUuidAt(later)],
    );
    const second = await next(first);
    expect(second.digests.get('public.events')!.rows).toBe(1);
    await expectSame(second);
    await change(`alter table events detach partition ${day}`);
    const third = await next(second);
    expect([third.changed, third.digests.get('public.events')!.rows]).toEqual([1, 0]);
    expect(await count(`pg_class where relname = '${day}'`)).toBe(0);
    await change(`drop table ${day}`);
    await expectSame(third);
  }));

test('rows written after a day was dropped stay, and so do rows in the default partition', () =>
  passing(async (first, next) => {
    const [far, farther] = [50, 60].map((days) => new Date(Date.now() + days * DAY_MS));
    const add = (sequence: number, at: Date) =>
      change(
        `insert into events (id, workspace_id, sequence, type, data, created_at) values ($2, $1, $3, 'ping', '{}', now())`,
        [WORKSPACE, firstUuidAt(at), sequence],
      );
    // The source has no such day partition and the copy creates one: it must not be treated as dropped.
    await add(10, farther!);
    await createNamedPartition(databaseOn(filling) as Tx, 'events', partitionName('events', farther!), 100);
    await makeAhead(source.db, 'events', 0, far!);
    await add(11, far!);
    const second = await next(first);
    expect(await count(partitionName('events', farther!))).toBe(1);
    await change(`drop table ${partitionName('events', far!)}`);
    await add(12, far!);
    const third = await next(second);
    expect(third.digests.get('public.events')!.rows).toBe(2);
    expect(await count('events where sequence in (10, 12)')).toBe(2);
    await expectSame(third);
    await change('delete from events');
  }));

test('tables with foreign keys or triggers are copied completely at the end', async () => {
  const bound = (await keyedTables(client, await getOutline(client))).filter((table) => table.bound);
  expect(bound.map(({ name }) => name).sort()).toEqual(['accounts', 'sessions', 'users']);
  await change(
    `insert into users (id, name, email, email_verified, created_at, updated_at) values (gen_random_uuid(), 'Ann', 'ann@example.com', true, now(), now())`,
  );
  const undone = new Error('undone');
  await expect(
    inFilling(filling, async () => {
      const first = await firstPass(source.connection, filling);
      expect(first.digests.has('public.users')).toBe(false);
      await addTags(5001, 5001);
      await expect(lastPass(client, source.connection, filling, first, true)).rejects.toThrow(
        /could not be made read-only/,
      );
      await freeze(client, movingTo('there', new Date()));
      const tables = await lastPass(client, source.connection, filling, first, true);
      expect(tables.get('public.users')!.rows).toBe(1);
      expect(tables.get('public.tags')).toEqual(
        await digestTable(filling, { schema: 'public', name: 'tags', columns: await toColumns('tags') }),
      );
      throw undone;
    }),
  ).rejects.toBe(undone);
  await thaw(client);
});

test('a row from a transaction so old that its ID has wrapped around does not count as recently written', async () => {
  const { rows: now } = await client.query<{ xid: string }>(`select txid_current()::text as xid`);
  const next = Number(now[0]!.xid) + 1;
  const told = async (ago: number): Promise<boolean> => {
    const xid = (number: number) => `'${(number + 2 ** 32) % 2 ** 32}'::xid`;
    const { rows } = await client.query<{ told: boolean }>(
      `select ${isSince(`${next - 1000}`)} as told from (select ${xid(next - ago)} as xmin) t`,
    );
    return rows[0]!.told;
  };
  expect(await Promise.all([0, 500, 1001, 2 ** 31 - 10, 2 ** 31 + 10, 3e9].map(told))).toEqual([
    true,
    true,
    false,
    false,
    false,
    false,
  ]);
});

const toColumns = async (name: string): Promise<string[]> =>
  (await getOutline(client)).tables.find((table) => table.name === name)!.columns;

test('detects that the copy was modified', () =>
  passing(async (first, next) => {
    await filling.query(`update tags set id = gen_random_uuid() where name = 'tag 700'`);
    await expect(next(first)).rejects.toThrow(/tags differs after the copy/);
  }));
