/** Setting the database's clock, as far as what is stored can tell. */
import type pg from 'pg';
import { retryOnConflict } from '../../src/platform/db/database.ts';

const COLUMNS = `
  select c.oid::regclass::text as table, array_agg(attname::text) as columns
  from pg_class c join pg_attribute a on a.attrelid = c.oid
  where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace::regnamespace::text in ('public', 'pgboss')
    and a.atttypid = 'timestamptz'::regtype and a.attnum > 0 and not a.attisdropped
    -- Hours that something is counted by.
    and not exists (select from pg_index where indrelid = c.oid and indisunique and a.attnum = any (indkey))
  group by c.oid order by 1`;

/**
 * Sets the clock forward by `ms`, or back where that is less than 0: every stored time then lies as much earlier, or later.
 * In one transaction, as clocks are set.
 */
export async function setDatabaseClock(pool: pg.Pool, ms: number): Promise<void> {
  // Servers that run lock the tables in another order.
  await retryOnConflict(() => setOnce(pool, ms));
}

async function setOnce(pool: pg.Pool, ms: number): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    const { rows } = await client.query<{ table: string; columns: string[] }>(COLUMNS);
    await client.query(`lock table ${rows.map(({ table }) => table).join(', ')} in share row exclusive mode`);
    for (const { table, columns } of rows)
      await client.query(
        `update ${table} set ${columns.map((one) => `${one} = ${one} - $1::float8 * interval '1 millisecond'`).join(', ')}`,
        [ms],
      );
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw error;
  } finally {
    client.release();
  }
}
