/** Which tables of a database can be brought up to date row by row, and by what their rows are known. */
import pg from 'pg';
import type { CopyClient } from '../../platform/db/copy/client.ts';
import { type DatabaseOutline, fullName, type OutlinedTable } from '../../platform/db/copy/outline.ts';
import { CopyError } from '../../platform/db/copy/fill.ts';

export interface KeyedTable extends OutlinedTable {
  /** Columns of the primary key. */
  key: string[];
  /**
   * Its rows can't come and go one by one: foreign keys or triggers would take others along. Such tables are few and
   * small (accounts, sessions, queues), and are copied whole when nobody writes.
   */
  bound: boolean;
}

const KEYS = `
  select n.nspname || '.' || c.relname as name,
    array(select a.attname::text from pg_index i cross join lateral unnest(i.indkey::int2[]) with ordinality k (number, at)
          join pg_attribute a on a.attrelid = c.oid and a.attnum = k.number
          where i.indrelid = c.oid and i.indisprimary order by k.at) as key,
    exists (select from pg_trigger t where t.tgrelid = c.oid and not t.tgisinternal)
      or exists (select from pg_constraint f where f.contype = 'f'
                 and (f.conrelid = c.oid or f.confrelid = c.oid
                      or f.conrelid in (select relid from pg_partition_tree(c.oid)))) as bound
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'p') and not c.relispartition and n.nspname in ('public', 'pgboss')`;

/** @throws CopyError where a table has no primary key */
export async function keyedTables(client: CopyClient, outline: DatabaseOutline): Promise<KeyedTable[]> {
  const { rows } = await client.query<{ name: string; key: string[]; bound: boolean }>(KEYS);
  const found = new Map(rows.map((row) => [row.name, row]));
  return outline.tables.map((table) => {
    const { key = [], bound = true } = found.get(fullName(table)) ?? {};
    if (!key.length) throw new CopyError(`The table ${fullName(table)} has no primary key.`);
    return { ...table, key, bound };
  });
}

/** SQL: 64 bits that stand for the key of a row, the same on every server of one architecture. */
export const keyHash = ({ key }: KeyedTable): string =>
  `hash_record_extended(row(${key.map(pg.escapeIdentifier).join(', ')}), 0)`;

/**
 * SQL: whether the row was written since. Rows of transactions that ended before it, but began later than one that was
 * still open, count as well: so a snapshot's own list of open transactions, which leaves out subtransactions, is not
 * needed. A row keeps the number of its transaction when it is frozen, and looks as if of the future once two thousand
 * million others have come: no row that a snapshot sees is of its future.
 * @param since of `toTime`
 */
export const isSince = (since: string): string =>
  `age(xmin) between 0 and age(${pg.escapeLiteral(since)}::xid)`;

const MOMENT = `
  select xid::text as since from (
    select pg_snapshot_xmax(pg_current_snapshot())::xid as xid
    union all select backend_xid from pg_stat_activity where datname = current_database()
    union all select transaction from pg_prepared_xacts where database = current_database()
  ) every where xid is not null order by age(xid) desc limit 1`;

/**
 * The oldest transaction that may write to the database from now on: one that is open, or the next. Transactions of
 * other databases of the server do not count, or a copy into one of them would hold the moment where it began. Sessions
 * are looked at before what they prepare, so that a transaction is seen in one of both.
 * To be called before the snapshot is taken that is read.
 */
export async function toTime(client: CopyClient): Promise<string> {
  const { rows } = await client.query<{ since: string }>(MOMENT);
  return rows[0]!.since;
}
