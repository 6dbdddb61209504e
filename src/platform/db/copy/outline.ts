/**
 * Lists what to copy of a database: tables with their columns and day partitions, in an order that satisfies foreign
 * keys, and the counters of identity columns. All of it is read from the catalog, so new tables are copied without
 * being listed here.
 *
 * Of pg-boss, only queues, schedules and jobs are copied; pg-boss creates its tables. Unlogged tables are skipped: a
 * crash may empty them at any time.
 */
import { type CopyClient, IS_NO_DROPPED_DAY } from './client.ts';

export interface OutlinedPartition {
  /** As "events_20260115". */
  name: string;
  /** Percent, 10 to 100. */
  fillFactor: number;
}

export interface OutlinedTable {
  schema: 'public' | 'pgboss';
  name: string;
  columns: string[];
  /** Day partitions; empty for a table that has none. */
  partitions: OutlinedPartition[];
}

export interface OutlinedCounter {
  table: string;
  column: string;
  last: number;
  called: boolean;
}

export interface DatabaseOutline {
  /** PostgreSQL's, as "18.4". */
  server: string;
  /** Names of the migrations that made it, in order. */
  migrations: string[];
  /** The version of pg-boss's tables; null where no job was ever known. */
  jobs: number | null;
  tables: OutlinedTable[];
  counters: OutlinedCounter[];
}

/** Made by the migrator itself, and different at every place. */
const NOT_COPIED = ['kysely_migration', 'kysely_migration_lock'];
const OF_JOBS = ['queue', 'schedule', 'job'];

export const fullName = ({ schema, name }: { schema: string; name: string }): string => `${schema}.${name}`;

const TABLES = `
  select n.nspname as schema, c.relname as name,
    array(select a.attname::text from pg_attribute a
          where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' order by a.attnum) as columns,
    array(select r.relname::text from pg_inherits i join pg_class r on r.oid = i.inhrelid
          where i.inhparent = c.oid order by 1) as partitions,
    array(select coalesce(substring(o from '^fillfactor=([0-9]+)$'), '') from pg_inherits i
          join pg_class r on r.oid = i.inhrelid
          left join lateral unnest(r.reloptions) o on o like 'fillfactor=%'
          where i.inhparent = c.oid order by r.relname) as fill_factors,
    array(select distinct f.confrelid::regclass::text from pg_constraint f
          where f.conrelid = c.oid and f.contype = 'f' and f.confrelid <> c.oid) as refers_to
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'p') and not c.relispartition and c.relpersistence = 'p'
    and (n.nspname = 'public' and c.relname <> all ($1) or n.nspname = 'pgboss' and c.relname = any ($2))
    and ${IS_NO_DROPPED_DAY}
  order by n.nspname, c.relname`;

const COUNTERS = `
  select c.relname as table, a.attname as column, pg_get_serial_sequence(quote_ident(c.relname), a.attname) as sequence
  from pg_attribute a join pg_class c on c.oid = a.attrelid
  where a.attidentity <> '' and c.relnamespace = 'public'::regnamespace and not c.relispartition
  order by 1, 2`;

interface Found {
  schema: 'public' | 'pgboss';
  name: string;
  columns: string[];
  partitions: string[];
  fill_factors: string[];
  refers_to: string[];
}

/** Tables that others refer to come first. @throws Error where they refer to each other in a circle */
function inOrder(found: Found[]): Found[] {
  const ordered: Found[] = [];
  const waiting = new Set(found);
  const named = (table: Found): string[] => [fullName(table), table.name];
  while (waiting.size) {
    const unmade = new Set([...waiting].flatMap(named));
    const next = [...waiting].filter((table) => table.refers_to.every((name) => !unmade.has(name)));
    if (!next.length) throw new Error('tables refer to each other in a circle, so they have no order');
    for (const table of next) {
      ordered.push(table);
      waiting.delete(table);
    }
  }
  // Foreign keys of pg-boss hang on its partitions, which the catalog query above leaves out.
  const rank = (table: Found): number => (table.schema === 'pgboss' ? 1 + OF_JOBS.indexOf(table.name) : 0);
  return ordered.sort((one, other) => rank(one) - rank(other));
}

/** To be called within the snapshot that is copied. @throws Error where there is no schema of ours */
export async function getOutline(client: CopyClient): Promise<DatabaseOutline> {
  const { rows: facts } = await client.query<{ server: string; ours: boolean; boss: boolean }>(
    `select current_setting('server_version') as server, to_regclass('public.kysely_migration') is not null as ours,
       to_regclass('pgboss.version') is not null as boss`,
  );
  const { server, ours, boss } = facts[0]!;
  if (!ours) throw new Error('there is no Fairlead in this database');
  const { rows: migrations } = await client.query<{ name: string }>(
    'select name from public.kysely_migration order by name',
  );
  const { rows: versions } = boss
    ? await client.query<{ version: number }>('select version from pgboss.version')
    : { rows: [] };
  const { rows: found } = await client.query<Found>(TABLES, [NOT_COPIED, OF_JOBS]);
  const { rows: counted } = await client.query<{ table: string; column: string; sequence: string }>(COUNTERS);
  const counters: OutlinedCounter[] = [];
  for (const { table, column, sequence } of counted) {
    const { rows } = await client.query<{ last: string; called: boolean }>(
      `select last_value::text as last, is_called as called from ${sequence}`,
    );
    counters.push({ table, column, last: Number(rows[0]!.last), called: rows[0]!.called });
  }
  return {
    server: server.split(' ')[0]!,
    migrations: migrations.map(({ name }) => name),
    jobs: versions[0]?.version ?? null,
    tables: inOrder(found).map(({ schema, name, columns, partitions, fill_factors: fills }) => ({
      schema,
      name,
      columns,
      partitions: partitions
        .map((partition, at) => ({ name: partition, fillFactor: Number(fills[at]) || 100 }))
        .filter((partition) => schema === 'public' && /_\d{8}$/.test(partition.name)),
    })),
    counters,
  };
}
