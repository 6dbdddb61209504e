/** Determines which tables can be updated row by row, and by which keys. */
import pg from 'pg';
import type { CopyClient } from '../../platform/db/copy/client.ts';
import { type DatabaseOutline, fullName, type OutlinedTable } from '../../platform/db/copy/outline.ts';
import { CopyError } from '../../platform/db/copy/fill.ts';

export interface KeyedTable extends OutlinedTable {
  /** Columns of the primary key. */
  key: string[];
  /**
   * Whether its rows can't be inserted and deleted one by one because foreign keys or triggers would affect other rows.
   * Such tables are few and small (accounts, sessions, queues), and are copied completely while writes are blocked.
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

/** @throws CopyError if a table has no primary key */
export async function keyedTables(client: CopyClient, outline: DatabaseOutline): Promise<KeyedTable[]> {
  const { rows } = await client.query<{ name: string; key: string[]; bound: boolean }>(KEYS);
  const found = new Map(rows.map((row) => [row.name, row]));
  return outline.tables.map((table) => {
    const { key = [], bound = true } = found.get(fullName(table)) ?? {};
    if (!key.length) throw new CopyError(`The table ${fullName(table)} has no primary key.`);
    return { ...table, key, bound };
  });
}

/** Returns SQL for a 64-bit hash of a row's key. It is the same on every server of one architecture. */
export const keyHash = ({ key }: KeyedTable): string =>
  `hash_record_extended(row(${key.map(pg.escapeIdentifier).join(', ')}), 0)`;

/**
 * Returns SQL for whether a row was written since a time. Rows of transactions that ended before that time but began
 * after the oldest open one also count, so the snapshot's own list of open transactions, which omits subtransactions,
 * is not needed. A frozen row keeps its transaction ID, which seems to be in the future after two billion further
 * transactions. Such rows don't count, because a snapshot never contains rows from its future.
 * @param since a value from `toTime`
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
 * Returns the ID of the oldest transaction that may still write to the database: an open one or the next one.
 * Transactions in other databases of the server do not count; otherwise a copy into one of them would keep the time at
 * its own beginning. Sessions are read before prepared transactions, so that a transaction is seen in one of the two.
 * Must be called before taking the snapshot to read.
 */
export async function toTime(client: CopyClient): Promise<string> {
  const { rows } = await client.query<{ since: string }>(MOMENT);
  return rows[0]!.since;
}
