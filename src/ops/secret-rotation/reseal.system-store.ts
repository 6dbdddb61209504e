/**
 * Lists sealed values of all workspaces by key, and replaces them. A batch is one transaction that locks the rows it
 * replaces and skips rows that a server has locked, so that neither waits for the other and no concurrent write is
 * overwritten.
 */
import { type RawBuilder, sql } from 'kysely';
import type { Database, Db } from '../../platform/db/database.ts';
import type { Row, SealedColumn, SealedValue } from '../../core/sealed-column.ts';

/**
 * A row with its key and its sealed values, null where a column is empty. `values` has the order of the place's
 * columns.
 */
export interface SealedRow {
  row: Row;
  values: (string | null)[];
}

const toValue = ({ column, member }: SealedValue): RawBuilder<string | null> =>
  member === undefined ? sql`t.${sql.ref(column)}` : sql`t.${sql.ref(column)} ->> ${sql.lit(member)}`;

const toColumns = (sealed: SealedColumn): string[] => [...Object.keys(sealed.key), ...(sealed.needs ?? [])];

const typed = (sealed: SealedColumn, row: Row): RawBuilder<unknown> =>
  sql.join(Object.entries(sealed.key).map(([column, type]) => sql`${row[column]}::${sql.raw(type)}`));

const getKey = (sealed: SealedColumn): RawBuilder<unknown> =>
  sql.join(Object.keys(sealed.key).map((column) => sql`t.${sql.ref(column)}`));

/** Checks whether a table exists: the jobs table is created when a server first starts. */
export async function isThere(db: Db, { table }: SealedColumn): Promise<boolean> {
  const { rows } = await sql<{ there: boolean }>`select to_regclass(${table}) is not null as there`.execute(
    db,
  );
  return rows[0]!.there;
}

/** Counts sealed values by key ID. Values that are not sealed count under ''. */
export async function countByKey(db: Db, sealed: SealedColumn): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const value of sealed.values) {
    const { rows } = await sql<{ id: string; count: number }>`
      select coalesce(substring(v from '^v1\.([0-9a-f]{8})\.'), '') as id, count(*) as count
      from (select ${toValue(value)} as v from ${sql.table(sealed.table)} t) s
      where v is not null group by 1
    `.execute(db);
    for (const { id, count } of rows) counts.set(id, (counts.get(id) ?? 0) + count);
  }
  return counts;
}

/**
 * Locks rows after a position that have a value sealed with a key other than `keyId`, in key order, until the
 * transaction ends.
 */
export async function lockOthers(
  tx: Db,
  sealed: SealedColumn,
  keyId: string,
  after: Row | null,
  limit: number,
): Promise<SealedRow[]> {
  const columns = toColumns(sealed).map((column) => sql`t.${sql.ref(column)}::text as ${sql.ref(column)}`);
  const values = sealed.values.map((value, at) => sql`${toValue(value)} as ${sql.ref(`value_${at}`)}`);
  const others = sealed.values.map((value) => sql`${toValue(value)} not like ${`v1.${keyId}.%`}`);
  const beyond = after ? sql`(${getKey(sealed)}) > (${typed(sealed, after)})` : sql`true`;
  const { rows } = await sql<Record<string, string | null>>`
    select ${sql.join([...columns, ...values])} from ${sql.table(sealed.table)} t
    where (${sql.join(others, sql` or `)}) and ${beyond}
    order by ${getKey(sealed)} limit ${limit} for no key update skip locked
  `.execute(tx);
  return rows.map((row) => ({
    row: Object.fromEntries(toColumns(sealed).map((column) => [column, row[column]!])),
    values: sealed.values.map((_value, at) => row[`value_${at}`]!),
  }));
}

/** Writes values of rows that `lockOthers` locked. Null leaves a value unchanged. */
export async function replaceValues(tx: Db, sealed: SealedColumn, rows: SealedRow[]): Promise<void> {
  const keys = Object.entries(sealed.key);
  const given = [
    ...keys.map(([column, type]) => sql`${rows.map(({ row }) => row[column]!)}::${sql.raw(type)}[]`),
    ...sealed.values.map((_value, at) => sql`${rows.map(({ values }) => values[at])}::text[]`),
  ];
  const names = [...keys.map(([column]) => column), ...sealed.values.map((_value, at) => `value_${at}`)];
  const changes = sealed.values.map(({ column, member }, at) => {
    const value = sql`v.${sql.ref(`value_${at}`)}`;
    const changed =
      member === undefined
        ? value
        : sql`jsonb_set(t.${sql.ref(column)}, ${sql.lit(`{${member}}`)}, to_jsonb(${value}))`;
    return sql`${sql.ref(column)} = coalesce(${changed}, t.${sql.ref(column)})`;
  });
  await sql`
    update ${sql.table(sealed.table)} t set ${sql.join(changes)}
    from unnest(${sql.join(given)}) v (${sql.join(names.map((name) => sql.ref(name)))})
    where ${sql.join(
      keys.map(([column]) => sql`t.${sql.ref(column)} = v.${sql.ref(column)}`),
      sql` and `,
    )}
  `.execute(tx);
}

/** Lists the columns whose names mark them as sealed, as `table.column`. Partitions are part of their table. */
export async function sealedColumns(db: Db): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select c.relname || '.' || a.attname as name
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and a.attname like '%sealed%'
    order by 1
  `.execute(db);
  return rows.map(({ name }) => name);
}

/** Returns the names and client addresses of serving processes' connections. */
export async function servingConnections(db: Database): Promise<{ name: string; address: string | null }[]> {
  const { rows } = await sql<{ name: string; address: string | null }>`
    select application_name as name, host(client_addr) as address from pg_stat_activity
    where datname = current_database() and application_name like 'fairlead %'
  `.execute(db);
  return rows;
}
