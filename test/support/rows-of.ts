/** What a database holds, to be compared with what it held before. */
import pg from 'pg';
import type { PoolOptions } from '../../src/platform/db/database.ts';

export interface TableRows {
  /** Columns that are compared, in order. */
  columns: string[];
  rows: number;
  /** Of these columns of all rows, however they are ordered. */
  digest: string;
}

/** Not compared: what the migrator writes, and what a crash may empty. */
const TABLES = `
  select c.relname as name,
    array(select attname::text from pg_attribute
          where attrelid = c.oid and attnum > 0 and not attisdropped order by attnum) as columns
  from pg_class c
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    and c.relpersistence = 'p' and c.relname not like 'kysely%'
  order by 1`;

/** @param like what is compared: the same tables and columns as there. Default: all */
export async function toRows(
  connection: PoolOptions,
  like?: Map<string, TableRows>,
): Promise<Map<string, TableRows>> {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    const { rows: found } = await client.query<{ name: string; columns: string[] }>(TABLES);
    const tables = like ? [...like].map(([name, { columns }]) => ({ name, columns })) : found;
    const held = new Map<string, TableRows>();
    for (const { name, columns } of tables) {
      const list = columns.map((column) => pg.escapeIdentifier(column)).join(', ');
      const { rows } = await client.query<{ rows: number; digest: string }>(
        `select count(*)::int as rows, md5(coalesce(string_agg(line, e'\\n' order by line), '')) as digest
         from (select row(${list})::text as line from ${pg.escapeIdentifier(name)}) lines`,
      );
      held.set(name, { columns, ...rows[0]! });
    }
    return held;
  } finally {
    await client.end();
  }
}
