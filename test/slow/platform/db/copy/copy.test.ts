import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, startWorkspace, type TestApp } from '../../../../support/test-app.ts';
import { openPool } from '../../../../../src/platform/db/database.ts';
import { migrateTo } from '../../../../../src/platform/db/migrate.ts';
import { dropExpired, makeAhead, partitionName } from '../../../../../src/platform/db/partitions.ts';
import { createTestDatabase, TEMPLATE, type TestDatabase } from '../../../../support/db.ts';
import { firstUuidAt } from '../../../../../src/platform/db/uuid-time.ts';
import { type CopyClient, inSnapshot, openCopyClient } from '../../../../../src/platform/db/copy/client.ts';
import { CopyError, fillDatabase, type RowSource } from '../../../../../src/platform/db/copy/fill.ts';
import { type DatabaseOutline, fullName, getOutline } from '../../../../../src/platform/db/copy/outline.ts';
import {
  createRowDigest,
  type RowDigest,
  type TableDigest,
} from '../../../../../src/platform/db/copy/row-digest.ts';
import { digestTable, readRows } from '../../../../../src/platform/db/copy/rows.ts';
import { upgradeSchema, prepareTarget } from '../../../../../src/platform/db/copy/target.ts';

let app: TestApp;
let source: CopyClient;
const opened: { end(): Promise<void> }[] = [];
const databases: TestDatabase[] = [];

async function target(
  template: Parameters<typeof createTestDatabase>[0] = 'template0',
): Promise<TestDatabase> {
  const database = await createTestDatabase(template);
  databases.push(database);
  return database;
}

async function client(database: TestDatabase): Promise<CopyClient> {
  const one = await openCopyClient(database.connection);
  opened.push(one);
  return one;
}

function toRows(from: CopyClient): RowSource {
  const digests = new Map<string, RowDigest>();
  return {
    rows(table) {
      const digest = createRowDigest();
      digests.set(fullName(table), digest);
      return readRows(from, table, digest);
    },
    digest: (table) => digests.get(fullName(table))!.end(),
  };
}

const query = (text: string) => app.database.pool.query(text);

beforeAll(async () => {
  app = await startTestApp();
  const home = await startWorkspace(app, { preset: 'full' });
  await app.call('/links', {
    key: home.key,
    body: { url: 'https://example.com/', slug: 'copied', title: 'tab\tline\nback\\slash "ü" \u{1f6a2}' },
  });
  await query(
    `insert into events (id, workspace_id, sequence, type, data, created_at)
     select overlay(gen_random_uuid()::text placing 'f' from 1)::uuid, (select id from workspaces limit 1), 1e6 + n, 'ping', '{}', now() from generate_series(1, 5000) n`,
  );
  // A day that nobody finds to be over meanwhile.
  await query(
    `create table events_20990101 (like events including all) with (fillfactor = 80);
     alter table events attach partition events_20990101
       for values from ('${firstUuidAt(new Date('2099-01-01'))}') to ('${firstUuidAt(new Date('2099-01-02'))}')`,
  );
  source = await client(app.database);
});
afterAll(async () => {
  for (const one of opened) await one.end();
  for (const database of databases) await database.drop();
  await app?.stop();
});

describe('a digest of rows', () => {
  const getDigest = (...pieces: string[]): TableDigest => {
    const digest = createRowDigest();
    for (const piece of pieces) digest.add(Buffer.from(piece));
    return digest.end();
  };

  test('is the same in any order and however the text is cut, and another for other rows', () => {
    const whole = getDigest('a\t1\nb\t2\nc\t3\n');
    expect(whole.rows).toBe(3);
    expect(getDigest('c\t', '3', '\nb\t2\n', 'a\t1\n')).toEqual(whole);
    expect(getDigest('a\t1\nb\t2\nc\t4\n')).not.toEqual(whole);
    expect(getDigest('a\t1\nb\t2\n\n')).not.toEqual(whole);
    expect(getDigest('a\t1\na\t1\nb\t2\n').checksum).not.toBe(getDigest('b\t2\n').checksum);
  });

  test('tells rows that end too early', () => {
    expect(() => getDigest('a\t1\nb')).toThrow(/within a row/);
  });
});

describe('a copy of a database', () => {
  let outline: DatabaseOutline;

  test('holds every row of every table, its partitions and its counters', async () => {
    const database = await target();
    const there = await client(database);
    await inSnapshot(source, async () => {
      outline = await getOutline(source);
      await prepareTarget(database.connection, outline);
      const copied = await fillDatabase(there, outline, toRows(source));
      expect([...copied.keys()].sort()).toEqual(outline.tables.map(fullName).sort());
      for (const table of outline.tables)
        expect([fullName(table), copied.get(fullName(table))]).toEqual([
          fullName(table),
          await digestTable(source, table),
        ]);
      expect(copied.get('public.events')!.rows).toBeGreaterThan(5000);
      expect(copied.get('public.links')!.rows).toBe(1);
    });
    const copy = await getOutline(there);
    expect(copy.counters).toEqual(outline.counters);
    const day = copy.tables
      .find(({ name }) => name === 'events')!
      .partitions.find(({ name }) => name === 'events_20990101');
    expect(day).toEqual({ name: 'events_20990101', fillFactor: 80 });
    const { rows } = await database.pool.query('select title from links');
    expect(rows[0].title).toContain('tab\tline\nback\\slash "ü" \u{1f6a2}');
    expect(await upgradeSchema(database.connection)).toEqual([]);
  });

  test('knows every table of the schema but those that PostgreSQL itself may lose', async () => {
    const { rows } = await query(
      `select relname as name from pg_class where relkind in ('r', 'p') and not relispartition
       and relnamespace = 'public'::regnamespace and relname not like 'kysely%' and relname <> 'auth_attempts'`,
    );
    const known = (await getOutline(source)).tables.map(({ name }) => name);
    expect(known).toEqual(expect.arrayContaining(rows.map(({ name }) => name)));
  });

  test('holds no day that is detached and about to be dropped', async () => {
    await query('create table events_20190101 (like events including all)');
    try {
      const names = (await getOutline(source)).tables.map(({ name }) => name);
      expect(names).toContain('events');
      expect(names).not.toContain('events_20190101');
      const locked = await inSnapshot(source, async () => {
        const { rows } = await source.query(
          `select relation::regclass::text as name from pg_locks where mode = 'AccessShareLock' and pid = pg_backend_pid()`,
        );
        return rows.map(({ name }: { name: string }) => name);
      });
      expect(locked).toContain('events');
      expect(locked).not.toContain('events_20190101');
    } finally {
      // The keeper of the days may have dropped it meanwhile.
      await query('drop table if exists events_20190101');
    }
  });

  test('is refused by a database that is in use, which stays as it was', async () => {
    await expect(prepareTarget(app.database.connection, outline)).rejects.toThrow(/not empty/);
    const foreign = await target();
    await foreign.pool.query('create table theirs (n int)');
    await expect(prepareTarget(foreign.connection, outline)).rejects.toThrow(/a table theirs/);
    const others = await target();
    await others.pool.query('create schema pgboss; create table pgboss.job (n int)');
    await expect(prepareTarget(others.connection, outline)).rejects.toThrow(/a schema pgboss/);
    const served = await target(TEMPLATE);
    const server = openPool(
      { ...served.connection, application_name: 'fairlead 0123456789abcdef' },
      () => undefined,
    );
    await server.query('select 1');
    await expect(prepareTarget(served.connection, outline)).rejects.toThrow(/A Fairlead runs on that/);
    await server.end();
  });

  test('a day that is over stays while a snapshot is read, and goes after it', async () => {
    const { db, pool, connection } = await target(TEMPLATE);
    const expired = { name: 'events', keepDays: 1, cleanDefault: async () => undefined };
    const later = new Date(Date.now() + 2 * 86_400_000);
    await makeAhead(db, 'events', 0, new Date());
    await pool.query(
      `insert into events (id, workspace_id, sequence, type, data, created_at)
       values ($1, gen_random_uuid(), 1, 'ping', '{}', now())`,
      [firstUuidAt(new Date())],
    );
    const one = await openCopyClient(connection);
    opened.push(one);
    await inSnapshot(one, async () => {
      await expect(dropExpired(db, expired, later)).rejects.toThrow(/lock timeout/);
      const { tables } = await getOutline(one);
      const digest = await digestTable(
        one,
        tables.find(({ name }) => name === 'events')!,
      );
      expect(digest.rows).toBe(1);
    });
    expect(await dropExpired(db, expired, later)).toContain(partitionName('events', new Date()));
  });

  test('leaves nothing where rows are not what they are said to be', async () => {
    const database = await target();
    await prepareTarget(database.connection, outline);
    const there = await client(database);
    const lying = toRows(source);
    const wrong: RowSource = {
      rows: lying.rows,
      digest: (table) => ({ ...lying.digest(table), ...(table.name === 'links' ? { rows: 2 } : {}) }),
    };
    await expect(fillDatabase(there, outline, wrong)).rejects.toThrow(CopyError);
    const { rows } = await database.pool.query('select (select count(*)::int from users) as users');
    expect(rows).toEqual([{ users: 0 }]);
    // and may be tried again
    await fillDatabase(there, outline, toRows(source));
  });

  test('is refused where the schema is a later one, or the target was migrated further', async () => {
    const database = await target();
    const later = { ...outline, migrations: [...outline.migrations, '9999_later'] };
    await expect(prepareTarget(database.connection, later)).rejects.toThrow(/newer Fairlead \(9999_later\)/);
    const earlier = { ...outline, migrations: outline.migrations.slice(0, -1) };
    await migrateTo(database.db, outline.migrations);
    await prepareTarget(database.connection, earlier).catch(() => undefined);
    await expect(fillDatabase(await client(database), earlier, toRows(source))).rejects.toThrow(/differ/);
  });
});
