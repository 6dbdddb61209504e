/**
 * Day partitions of tables that are `PARTITION BY RANGE (id)` over UUIDv7 ids: created ahead, dropped when expired.
 *
 * Traffic is never blocked: a new table is created separately and attached (which locks neither readers nor writers of
 * other days). Locks that could queue traffic behind them are given up after LOCK_MS and retried later. IDs outside
 * every day go to `<table>_default` and move when their day is created.
 */
import { sql } from 'kysely';
import type { Database, Db, Tx } from './database.ts';
import { firstUuidAt } from './uuid-time.ts';

export const DAY_MS = 24 * 3600 * 1000;
const LOCK_MS = 150;
const MAX_MS = 5_000;
const TRIES = 5;
const PAUSE_MS = 500;
/** First key of the advisory locks of this module. */
const LOCK_SPACE = 0x7061;

export interface PartitionedTable {
  name: string;
  /** Whole days kept before today; null keeps all. */
  keepDays: number | null;
  /** Percent of a page that inserts fill: less than 100 leaves room for rows that are updated soon. */
  fillFactor?: number;
  /**
   * Called before the rows of `relation` are dropped, and again when no rows can be added, so it may run twice. It
   * commits before the rows are dropped.
   */
  beforeDrop?: (db: Database, relation: string) => Promise<void>;
  /** Deletes expired rows of the default partition. Default: rows with an ID below `cutoff`. */
  cleanDefault?: (db: Database, cutoff: string) => Promise<void>;
}

/** `events` and 2026-01-15 → `events_20260115`. */
export const partitionName = (table: string, day: Date): string =>
  `${table}_${day.toISOString().slice(0, 10).replaceAll('-', '')}`;

const startOfDay = (time: Date): Date => new Date(Math.floor(time.getTime() / DAY_MS) * DAY_MS);
const addDays = (day: Date, days: number): Date => new Date(day.getTime() + days * DAY_MS);

function getDay(table: string, relation: string): Date | null {
  const digits = relation.startsWith(`${table}_`) ? relation.slice(table.length + 1) : '';
  if (!/^\d{8}$/.test(digits)) return null;
  return new Date(`${digits.slice(0, 4)}-${digits.slice(4, 6)}-${digits.slice(6)}T00:00:00Z`);
}

interface Found {
  name: string;
  day: Date;
  attached: boolean;
}

/** Lists the day tables, oldest first. Unattached ones were being dropped when a process died. */
async function findPartitions(db: Db, table: string): Promise<Found[]> {
  const { rows } = await sql<{ name: string; attached: boolean }>`
    select c.relname as name, i.inhparent is not null as attached
    from pg_class c
    join pg_class parent on parent.oid = ${table}::regclass and parent.relnamespace = c.relnamespace
    left join pg_inherits i on i.inhrelid = c.oid and i.inhparent = parent.oid
    where c.relkind = 'r' and c.relname like ${`${table}\\_%`}
    order by c.relname
  `.execute(db);
  return rows
    .map((row) => ({ ...row, day: getDay(table, row.name) }))
    .filter((row): row is Found => row.day !== null);
}

async function exists(db: Db, relation: string): Promise<boolean> {
  const { rows } = await sql<{
    there: boolean;
  }>`select to_regclass(${relation}) is not null as there`.execute(db);
  return rows[0]!.there;
}

/** How many days after today have a partition without a gap. */
export async function countAhead(db: Db, table: string, now: Date): Promise<number> {
  const days = new Set(
    (await findPartitions(db, table)).filter((p) => p.attached).map((p) => p.day.getTime()),
  );
  let ahead = 0;
  while (days.has(addDays(startOfDay(now), ahead + 1).getTime())) ahead++;
  return ahead;
}

async function inLockedTransaction(db: Database, table: string, work: (tx: Tx) => Promise<void>) {
  await db.transaction().execute(async (tx) => {
    // Set first: it bounds the wait for the advisory lock, too.
    await sql`select set_config('lock_timeout', ${`${LOCK_MS}ms`}, true), set_config('statement_timeout', ${`${MAX_MS}ms`}, true)`.execute(
      tx,
    );
    await sql`select pg_advisory_xact_lock(${sql.lit(LOCK_SPACE)}, hashtext(${table}))`.execute(tx);
    await work(tx);
  });
}

/** Errors to retry: a lock timeout, or a row that was added to the default partition just before the attach. */
const WORTH_TRYING_AGAIN = ['55P03', '23514'];
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Tries again where that may help, each time out of the way for a while. */
export async function patiently(work: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!WORTH_TRYING_AGAIN.includes((error as { code?: string }).code ?? '') || attempt === TRIES)
        throw error;
      await pause(PAUSE_MS * Math.random());
    }
  }
}

async function makePartition(tx: Tx, table: string, day: Date, fillFactor: number): Promise<void> {
  const parent = sql.table(table);
  const partition = sql.table(partitionName(table, day));
  const fallback = sql.table(`${table}_default`);
  const from = sql.lit(firstUuidAt(day));
  const to = sql.lit(firstUuidAt(addDays(day, 1)));
  await sql`
    create table ${partition} (like ${parent} including all) with (fillfactor = ${sql.lit(fillFactor)})
  `.execute(tx);
  const { rows } = await sql`select from ${fallback} where id >= ${from} and id < ${to} limit 1`.execute(tx);
  if (rows.length) {
    await sql`lock table ${fallback} in access exclusive mode`.execute(tx);
    await sql`
      with moved as (delete from ${fallback} where id >= ${from} and id < ${to} returning *)
      insert into ${partition} select * from moved
    `.execute(tx);
  }
  await sql`alter table ${parent} attach partition ${partition} for values from (${from}) to (${to})`.execute(
    tx,
  );
}

/**
 * Creates a missing day partition of a table by its name.
 * @throws Error if the name is not that of a day of this table
 */
export async function createNamedPartition(
  tx: Tx,
  table: string,
  partition: string,
  fillFactor: number,
): Promise<void> {
  const day = getDay(table, partition);
  if (day === null || Number.isNaN(day.getTime()) || partitionName(table, day) !== partition)
    throw new Error(`${partition} is not a day of ${table}`);
  await makePartition(tx, table, day, fillFactor);
}

/**
 * Creates the partitions of today and of the `days` days after it.
 * @returns names of the missing ones. A day that can't be created (locks, timeout) throws after the others are created.
 */
export async function makeAhead(
  db: Database,
  table: string,
  days: number,
  now: Date,
  fillFactor = 100,
): Promise<string[]> {
  const made: string[] = [];
  const faults: unknown[] = [];
  const known = new Set((await findPartitions(db, table)).map(({ name }) => name));
  for (let n = 0; n <= days; n++) {
    const day = addDays(startOfDay(now), n);
    const name = partitionName(table, day);
    if (known.has(name)) continue;
    await patiently(() =>
      inLockedTransaction(db, table, async (tx) => {
        const there = (await findPartitions(tx, table)).some((partition) => partition.name === name);
        if (there) return;
        await makePartition(tx, table, day, fillFactor);
        made.push(name);
      }),
    ).catch((error: unknown) => faults.push(error));
  }
  if (faults.length)
    throw new AggregateError(faults, `${faults.length} partitions of ${table} could not be made`);
  return made;
}

/**
 * Drops the partitions that are over, oldest first, and cleans the default one.
 * @returns names of the tables dropped
 */
export async function dropExpired(db: Database, table: PartitionedTable, now: Date): Promise<string[]> {
  if (table.keepDays === null) return [];
  const oldest = addDays(startOfDay(now), -table.keepDays);
  const dropped: string[] = [];
  for (const { name, day, attached } of await findPartitions(db, table.name)) {
    if (day >= oldest) break;
    if (attached) {
      await table.beforeDrop?.(db, name);
      await patiently(() =>
        inLockedTransaction(db, table.name, async (tx) => {
          if (!(await findPartitions(tx, table.name)).some((found) => found.name === name && found.attached))
            return;
          await sql`alter table ${sql.table(table.name)} detach partition ${sql.table(name)}`.execute(tx);
        }),
      );
    }
    if (await exists(db, name)) await table.beforeDrop?.(db, name);
    await patiently(() =>
      inLockedTransaction(db, table.name, async (tx) => {
        await sql`drop table if exists ${sql.table(name)}`.execute(tx);
      }),
    );
    dropped.push(name);
  }
  const cutoff = firstUuidAt(oldest);
  if (table.cleanDefault) await table.cleanDefault(db, cutoff);
  else await sql`delete from ${sql.table(`${table.name}_default`)} where id < ${cutoff}`.execute(db);
  return dropped;
}

/** Rows that lie in no day: IDs from wrong clocks, or days that were not made in time. At most `max` are counted. */
export async function countStray(db: Db, table: string, max = 1000): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from (select from ${sql.table(`${table}_default`)} limit ${max}) as strays
  `.execute(db);
  return rows[0]!.n;
}
