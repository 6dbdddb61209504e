/** How many rows each table has, and how large it is; a table in parts counts as one. */
import type pg from 'pg';

export interface Count {
  table: string;
  rows: number;
  megabytes: number;
}

/** Tables with rows, the largest first. */
export async function countTables(pool: pg.Pool): Promise<Count[]> {
  const { rows: tables } = await pool.query<{ table: string; bytes: string }>(
    `select format('%I.%I', n.nspname, c.relname) as table,
       coalesce((select sum(pg_total_relation_size(t.relid)) from pg_partition_tree(c.oid) t), pg_total_relation_size(c.oid)) as bytes
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind in ('r', 'p') and not c.relispartition and n.nspname not in ('pg_catalog', 'information_schema')`,
  );
  const counts: Count[] = [];
  for (const { table, bytes } of tables) {
    const { rows } = await pool.query<{ count: string }>(`select count(*) from ${table}`);
    const count = Number(rows[0]!.count);
    if (count)
      counts.push({ table: table.replace(/^public\./, ''), rows: count, megabytes: Number(bytes) / 1e6 });
  }
  return counts.toSorted((a, b) => b.rows - a.rows);
}
