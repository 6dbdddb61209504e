import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPartitionManager } from './partition-manager.ts';
import {
  countAhead,
  countStray,
  DAY_MS,
  dropExpired,
  makeAhead,
  type PartitionedTable,
  partitionName,
} from './partitions.ts';
import { createTestDatabase, type TestDatabase } from '../../../test/support/db.ts';
import { firstUuidAt, timeOfUuid } from './uuid-time.ts';

const TODAY = new Date('2026-03-10T15:00:00Z');
const day = (offset: number, ms = 0): Date => new Date(Date.UTC(2026, 2, 10 + offset) + ms);
const idAt = (time: Date, tail = 1): string => firstUuidAt(time).slice(0, -1) + tail;

let test: TestDatabase;
let tables = 0;

/** A partitioned table of its own for each test. */
async function newTable(): Promise<string> {
  const name = `part${++tables}`;
  await sql`create table ${sql.table(name)} (workspace_id int not null, id uuid not null, body text, primary key (workspace_id, id)) partition by range (id)`.execute(
    test.db,
  );
  await sql`create index on ${sql.table(name)} (workspace_id, body)`.execute(test.db);
  await sql`create table ${sql.table(`${name}_default`)} partition of ${sql.table(name)} default`.execute(
    test.db,
  );
  return name;
}

const insert = (table: string, id: string, body = 'x') =>
  sql`insert into ${sql.table(table)} values (1, ${id}, ${body})`.execute(test.db);

async function whereIs(table: string, id: string): Promise<string | undefined> {
  const { rows } = await sql<{
    at: string;
  }>`select tableoid::regclass::text as at from ${sql.table(table)} where id = ${id}`.execute(test.db);
  return rows[0]?.at;
}

beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

describe('uuid bounds', () => {
  it('hold exactly the IDs of their time (the example of RFC 9562, appendix A.6)', () => {
    const time = new Date('2022-02-22T19:22:22Z');
    expect(firstUuidAt(time)).toBe('017f22e2-79b0-0000-0000-000000000000');
    expect(timeOfUuid('017f22e2-79b0-7cc3-98c4-dc0c0c07398f')).toEqual(time);
  });
});

describe('making', () => {
  it('makes today and the days ahead once, with the indexes of the parent', async () => {
    const table = await newTable();
    const made = await makeAhead(test.db, table, 7, TODAY);
    expect(made).toHaveLength(8);
    expect(made[0]).toBe(`${table}_20260310`);
    expect(await makeAhead(test.db, table, 7, TODAY)).toEqual([]);
    expect(await countAhead(test.db, table, TODAY)).toBe(7);
    const { rows } = await sql<{
      n: number;
    }>`select count(*)::int as n from pg_index where indrelid = ${made[0]!}::regclass and indisvalid`.execute(
      test.db,
    );
    expect(rows[0]!.n).toBe(2);
  });

  it('puts each ID in its day, the last millisecond too, and others in the default', async () => {
    const table = await newTable();
    await makeAhead(test.db, table, 1, TODAY);
    for (const [time, where] of [
      [day(0), partitionName(table, day(0))],
      [day(1, -1), partitionName(table, day(0))],
      [day(1), partitionName(table, day(1))],
      [day(0, -1), `${table}_default`],
      [day(2), `${table}_default`],
    ] as const) {
      await insert(table, idAt(time));
      expect(await whereIs(table, idAt(time))).toBe(where);
    }
    expect(await countStray(test.db, table)).toBe(2);
  });

  it('moves rows that strayed while their day was missing', async () => {
    const table = await newTable();
    await insert(table, idAt(day(2, 5)));
    await insert(table, idAt(day(40)));
    await makeAhead(test.db, table, 3, TODAY);
    expect(await whereIs(table, idAt(day(2, 5)))).toBe(partitionName(table, day(2)));
    expect(await whereIs(table, idAt(day(40)))).toBe(`${table}_default`);
  });

  it('works in several processes at once', async () => {
    const table = await newTable();
    const made = await Promise.all(Array.from({ length: 4 }, () => makeAhead(test.db, table, 4, TODAY)));
    expect(made.flat().toSorted()).toEqual(Array.from({ length: 5 }, (_, n) => partitionName(table, day(n))));
  });

  it('neither waits for an open writer and reader of other days, nor holds them up', async () => {
    const table = await newTable();
    await makeAhead(test.db, table, 0, TODAY);
    await test.db.transaction().execute(async (tx) => {
      await sql`insert into ${sql.table(table)} values (1, ${idAt(day(0))}, 'open')`.execute(tx);
      expect(await makeAhead(test.db, table, 2, TODAY)).toHaveLength(2);
    });
  });
});

describe('dropping', () => {
  const rules = (name: string, more: Partial<PartitionedTable> = {}): PartitionedTable => ({
    name,
    keepDays: 30,
    ...more,
  });

  it('drops what is over, no more, and tells before', async () => {
    const table = await newTable();
    await makeAhead(test.db, table, 3, day(-33));
    await insert(table, idAt(day(-31, 5)));
    await insert(table, idAt(day(-30)));
    await insert(table, idAt(day(-90)));
    const told: [string, number][] = [];
    const beforeDrop = async (_db: unknown, relation: string) => {
      const { rows } = await sql<{
        n: number;
      }>`select count(*)::int as n from ${sql.table(relation)}`.execute(test.db);
      told.push([relation, rows[0]!.n]);
    };
    const dropped = await dropExpired(test.db, rules(table, { beforeDrop }), TODAY);
    expect(dropped).toEqual([-33, -32, -31].map((n) => partitionName(table, day(n))));
    expect(told.filter(([relation]) => relation === partitionName(table, day(-31)))).toEqual([
      [partitionName(table, day(-31)), 1],
      [partitionName(table, day(-31)), 1],
    ]);
    expect(await whereIs(table, idAt(day(-30)))).toBe(partitionName(table, day(-30)));
    expect(await countStray(test.db, table)).toBe(0);
  });

  it('keeps all where no limit is set', async () => {
    const table = await newTable();
    await makeAhead(test.db, table, 0, day(-900));
    expect(await dropExpired(test.db, rules(table, { keepDays: null }), TODAY)).toEqual([]);
  });

  it('gives up within a moment where traffic holds the table, and goes on the next time', async () => {
    const table = await newTable();
    await makeAhead(test.db, table, 0, day(-40));
    await insert(table, idAt(day(-40)));
    await test.db.transaction().execute(async (tx) => {
      await sql`select * from ${sql.table(table)}`.execute(tx);
      const dropping = dropExpired(test.db, rules(table), TODAY);
      dropping.catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, 50));
      await sql`insert into ${sql.table(table)} values (2, ${idAt(day(0))}, 'traffic')`.execute(test.db);
      await expect(dropping).rejects.toMatchObject({ code: '55P03' });
    });
    expect(await whereIs(table, idAt(day(-40)))).toBe(partitionName(table, day(-40)));
    expect(await dropExpired(test.db, rules(table), TODAY)).toHaveLength(1);
  });

  it('finishes a dropping that was cut short', async () => {
    const table = await newTable();
    await makeAhead(test.db, table, 0, day(-40));
    const name = partitionName(table, day(-40));
    await sql`alter table ${sql.table(table)} detach partition ${sql.table(name)}`.execute(test.db);
    expect(await dropExpired(test.db, rules(table), TODAY)).toEqual([name]);
    expect(
      (await sql<{ there: string | null }>`select to_regclass(${name}) as there`.execute(test.db)).rows[0]!
        .there,
    ).toBeNull();
  });
});

describe('keeper', () => {
  const quiet = { info() {}, warn() {}, error() {} };

  it('warns and is degraded while fewer than 3 days are ahead', async () => {
    const name = await newTable();
    const warnings: object[] = [];
    let now = TODAY;
    const make = () =>
      createPartitionManager({
        db: test.db,
        log: { ...quiet, warn: (details) => warnings.push(details) },
        tables: [{ name, keepDays: 30 }],
        clock: () => now,
      });
    expect(await make().check()).toBe('degraded');
    await make().prepare();
    expect(await make().check()).toBe('ok');
    const partitionManager = make();
    await partitionManager.maintain();
    expect(await partitionManager.check()).toBe('ok');
    expect(warnings).toEqual([]);
    now = new Date(TODAY.getTime() + 5 * DAY_MS);
    expect(await make().check()).toBe('degraded');
    await insert(name, idAt(day(90)));
    await make().maintain();
    expect(warnings).toEqual([{ table: name, rows: 1 }]);
  });
});
