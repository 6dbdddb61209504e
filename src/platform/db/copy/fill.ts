/**
 * Fills an empty database of the same schema with another's rows: in one transaction, which is read back before it
 * commits. A target therefore contains everything, verified by counts and checksums, or its previous content.
 */
import type { Tx } from '../database.ts';
import { createNamedPartition } from '../partitions.ts';
import { type CopyClient, databaseOn } from './client.ts';
import { type DatabaseOutline, fullName, type OutlinedTable, getOutline } from './outline.ts';
import { isSame, type TableDigest } from './row-digest.ts';
import { digestTable, writeRows } from './rows.ts';

/** The copy differs from its source, or can't be made; nothing was changed. */
export class CopyError extends Error {
  override name = 'CopyError';
}

export interface RowSource {
  /** The rows of a table as COPY's text. */
  rows(table: OutlinedTable): AsyncIterable<Buffer>;
  /** Returns the digest of the rows. Call after `rows` was read to its end. */
  digest(table: OutlinedTable): TableDigest;
}

export type ReportProgress = (what: { table: string; done: number; of: number }) => void;

/** Tables whose rows show that an installation is in use. */
const IN_USE = ['users', 'workspaces'];

/** @throws CopyError if the database is already in use */
export async function assertUnused(client: CopyClient): Promise<void> {
  const { rows } = await client.query<{ name: string; ours: boolean }>(
    `select c.relname as name, to_regclass('public.kysely_migration') is not null as ours
     from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm')`,
  );
  if (!rows[0]?.ours) {
    // Other programs keep jobs in a schema of that name, too; ours is made after the tables.
    const { rows: others } = await client.query(`select from pg_namespace where nspname = 'pgboss' limit 1`);
    const found = rows[0] ? `a table ${rows[0].name}` : others.length ? 'a schema pgboss' : null;
    if (found === null) return;
    throw new CopyError(`The database is not empty: it has ${found}. Give the name of an empty database.`);
  }
  for (const table of IN_USE.filter((name) => rows.some((row) => row.name === name))) {
    const { rows: some } = await client.query(`select from public.${table} limit 1`);
    if (some.length)
      throw new CopyError(
        'The database is not empty: a Fairlead is in use there. Give the name of an empty database.',
      );
  }
  // A running server would continue with its cached state of an empty database.
  const { rows: servers } = await client.query(
    `select from pg_stat_activity where datname = current_database() and application_name like 'fairlead %'
       and application_name <> 'fairlead copy' limit 1`,
  );
  if (servers.length) throw new CopyError('A Fairlead runs on that database. Stop it, and begin again.');
}

/** The target's own outline, held against the source's: tables and columns have to be the same. */
async function matching(client: CopyClient, source: DatabaseOutline): Promise<OutlinedTable[]> {
  const target = await getOutline(client);
  if (target.migrations.join() !== source.migrations.join())
    throw new CopyError('The schemas differ: the target was migrated otherwise than the source.');
  const known = new Map(target.tables.map((table) => [fullName(table), table]));
  return source.tables.map((table) => {
    const there = known.get(fullName(table));
    if (!there) throw new CopyError(`The target has no table ${fullName(table)}.`);
    const unknown = table.columns.filter((column) => !there.columns.includes(column));
    if (unknown.length)
      throw new CopyError(`The target's table ${fullName(table)} has no column ${unknown.join(', ')}.`);
    return table;
  });
}

/** Creates the day partitions of the source that are missing in the target's outline. */
export async function makePartitions(
  client: CopyClient,
  tables: readonly OutlinedTable[],
  outline: DatabaseOutline,
): Promise<void> {
  const db = databaseOn(client);
  const there = new Set(outline.tables.flatMap(({ partitions }) => partitions.map(({ name }) => name)));
  for (const table of tables)
    for (const { name, fillFactor } of table.partitions)
      if (!there.has(name)) await createNamedPartition(db as Tx, table.name, name, fillFactor);
}

export async function setCounters(client: CopyClient, outline: DatabaseOutline): Promise<void> {
  for (const { table, column, last, called } of outline.counters)
    await client.query(
      'select setval(pg_get_serial_sequence(quote_ident($1), $2)::regclass, $3::bigint, $4)',
      [table, column, last, called],
    );
}

/** Runs `work` in one transaction of a target. */
export async function inFilling<T>(client: CopyClient, work: () => Promise<T>): Promise<T> {
  await client.query('begin');
  try {
    const done = await work();
    await client.query('commit');
    return done;
  } catch (error) {
    await client.query('rollback').catch(() => undefined); // a broken connection rolls back automatically
    throw error;
  }
}

/** @throws CopyError naming the table, and both */
export function assertSame(table: OutlinedTable, found: TableDigest, expected: TableDigest): void {
  if (!isSame(found, expected))
    throw new CopyError(
      `${fullName(table)} differs after the copy: ${found.rows} rows (${found.checksum}) instead of ${expected.rows} (${expected.checksum}).`,
    );
}

/**
 * Fills all tables, within `inFilling`.
 * @param outline the source's; the target has the same schema (target.ts)
 * @returns what each table amounts to, by its full name, as read back from the target
 * @throws CopyError where a table differs after all; Error where PostgreSQL refuses
 */
export async function fillTables(
  client: CopyClient,
  outline: DatabaseOutline,
  source: RowSource,
  report: ReportProgress = () => undefined,
): Promise<Map<string, TableDigest>> {
  const copied = new Map<string, TableDigest>();
  const target = await getOutline(client);
  const tables = await matching(client, outline);
  // Locked before the check; otherwise a concurrent sign-up would be truncated.
  for (const { schema, name } of target.tables.filter((table) => IN_USE.includes(table.name)))
    await client.query(`lock table ${schema}."${name}" in access exclusive mode`);
  await assertUnused(client);
  const names = target.tables.map(({ schema, name }) => `${schema}."${name}"`).join(', ');
  // Also keeps everybody else out until the end.
  await client.query(`truncate ${names} cascade`);
  await makePartitions(client, tables, target);
  for (const [at, table] of tables.entries()) {
    await writeRows(client, table, source.rows(table));
    report({ table: fullName(table), done: at + 1, of: tables.length });
  }
  await setCounters(client, outline);
  for (const table of tables) {
    const digest = await digestTable(client, table);
    assertSame(table, digest, source.digest(table));
    copied.set(fullName(table), digest);
  }
  await client.query(`analyze ${names}`);
  return copied;
}

/** As `fillTables`, in a transaction of its own: a fault changes nothing. */
export const fillDatabase = (...args: Parameters<typeof fillTables>): ReturnType<typeof fillTables> =>
  inFilling(args[0], () => fillTables(...args));
