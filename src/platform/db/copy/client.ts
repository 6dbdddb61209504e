/**
 * Connections for copying a whole database: one client, no bound on how long a statement or a pause takes, and text
 * forms that are the same on every server, so that checksums of rows can be compared.
 */
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import type { Database, PoolOptions } from '../database.ts';
import type { DB } from '../tables.ts';

const SETTINGS = {
  idle_in_transaction_session_timeout: '0',
  statement_timeout: '0',
  lock_timeout: '0',
  // A machine that vanished would hold its locks for hours.
  tcp_keepalives_idle: '60',
  tcp_keepalives_interval: '10',
  tcp_keepalives_count: '6',
  timezone: 'UTC',
  datestyle: 'ISO, MDY',
  intervalstyle: 'postgres',
  extra_float_digits: '1',
  bytea_output: 'hex',
  client_encoding: 'UTF8',
};

/** Bounds that not every version of PostgreSQL knows. */
const LATER_BOUNDS = `select set_config(name, '0', false) from pg_settings
  where name in ('idle_session_timeout', 'transaction_timeout')`;

export type CopyClient = pg.Client;

/** @returns a connected client; to be ended by the caller */
export async function openCopyClient(connection: PoolOptions): Promise<CopyClient> {
  const client = new pg.Client({
    ...connection,
    application_name: 'fairlead copy',
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    // One connection may be idle for an hour while another reads; network devices drop idle connections much earlier.
    keepAliveInitialDelayMillis: 30_000,
  });
  // Failures are reported by connecting, the pending query or the next one.
  client.on('error', () => undefined);
  await client.connect();
  for (const [name, value] of Object.entries(SETTINGS)) await client.query(`set ${name} = '${value}'`);
  await client.query(LATER_BOUNDS);
  return client;
}

/** Kysely on this very connection: within the transaction that is open on it, if one is. */
export function databaseOn(client: CopyClient): Database {
  const pool = {
    connect: async () => ({
      query: client.query.bind(client),
      release: () => undefined,
      [Symbol.dispose]: () => undefined,
    }),
    end: async () => undefined,
  };
  return new Kysely<DB>({ dialect: new PostgresDialect({ pool: pool as never }) });
}

/** A day that is over is detached first, and dropped when it can be: until then it is a table that nobody reads. */
export const IS_NO_DROPPED_DAY = `not exists (
    select from pg_class parent where parent.relkind = 'p' and parent.relnamespace = c.relnamespace
      and c.relname ~ ('^' || parent.relname || '_[0-9]{8}$'))`;

const TABLES = `
  select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'p') and not c.relispartition and n.nspname = any (array['public', 'pgboss'])
    and ${IS_NO_DROPPED_DAY}
  order by c.oid`;

/**
 * Runs `work` in one read-only snapshot of the database. A snapshot covers rows, not tables: a detached partition
 * disappears from it immediately, so partitions must not change until the end. `transaction_read_only` also protects
 * against mistakes here.
 */
export async function inSnapshot<T>(client: CopyClient, work: () => Promise<T>): Promise<T> {
  const { rows } = await client.query<{ name: string }>(TABLES);
  await client.query('begin transaction isolation level repeatable read read only');
  try {
    // The snapshot is taken by the first statement that reads, which is neither BEGIN nor LOCK.
    if (rows.length)
      await client.query(`lock table ${rows.map(({ name }) => name).join(', ')} in access share mode`);
    await client.query('select pg_current_snapshot()');
    return await work();
  } finally {
    await client.query('rollback').catch(() => undefined); // it has changed nothing; a broken connection was already reported
  }
}
