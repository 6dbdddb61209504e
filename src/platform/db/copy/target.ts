/** Prepares an empty database: applies the same migrations as the source; pg-boss creates its own schema. */
import { openDatabase, openPool, type PoolOptions } from '../database.ts';
import { makeJobTables } from '../job-tables.ts';
import { knownMigrations, migrate, migrateTo } from '../migrate.ts';
import { openCopyClient } from './client.ts';
import { assertUnused, CopyError } from './fill.ts';
import type { DatabaseOutline } from './outline.ts';

async function makeTablesOfJobs(connection: PoolOptions, version: number): Promise<void> {
  const own = await makeJobTables(connection);
  if (own !== null && own < version)
    throw new CopyError('The jobs were kept by a newer Fairlead. Use that version.');
}

/** @throws CopyError where the source's schema is one that this program does not know */
export async function assertKnownSchema(outline: Pick<DatabaseOutline, 'migrations'>): Promise<void> {
  const known = await knownMigrations();
  const unknown = outline.migrations.filter((name) => !known.includes(name));
  if (unknown.length)
    throw new CopyError(
      `It was written by a newer Fairlead (${unknown.join(', ')}). Use that version, or a later one.`,
    );
}

/**
 * @param connection a way to the database without a transaction pooler between
 * @throws CopyError where the database is in use, or the schema unknown; nothing is changed then
 */
export async function prepareTarget(connection: PoolOptions, outline: DatabaseOutline): Promise<void> {
  await assertKnownSchema(outline);
  const client = await openCopyClient(connection);
  try {
    await assertUnused(client);
  } finally {
    await client.end();
  }
  const pool = openPool({ ...connection, max: 2 }, () => undefined);
  try {
    await migrateTo(openDatabase(pool), outline.migrations);
  } finally {
    await pool.end();
  }
  if (outline.jobs !== null) await makeTablesOfJobs(connection, outline.jobs);
}

/** Applies this program's schema changes after the source's schema was filled. */
export async function upgradeSchema(connection: PoolOptions): Promise<string[]> {
  const pool = openPool({ ...connection, max: 2 }, () => undefined);
  try {
    return await migrate(openDatabase(pool));
  } finally {
    await pool.end();
  }
}
