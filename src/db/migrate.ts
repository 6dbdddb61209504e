/**
 * Brings the schema up to date from the numbered `.sql` files. Forward only; several nodes that start at once
 * take turns (Kysely's migration lock). A schema newer than this program refuses start.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import type { Database } from './database.ts';

const FOLDER = join(import.meta.dirname, 'migrations');

/** The database can't be used by this program; the message says why and what to do. */
export class SchemaError extends Error {
  override name = 'SchemaError';
}

async function loadMigrations(): Promise<Record<string, Migration>> {
  const files = (await readdir(FOLDER)).filter((file) => file.endsWith('.sql')).sort();
  const entries = files.map(async (file) => {
    const text = await readFile(join(FOLDER, file), 'utf8');
    const migration: Migration = { up: async (db) => void (await sql.raw(text).execute(db)) };
    return [file.slice(0, -4), migration] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

/**
 * @returns names of the migrations that ran now.
 * @throws SchemaError when the server is too old, the schema is newer, or a migration fails (it is rolled back).
 */
export async function migrate(db: Database): Promise<string[]> {
  const { rows } = await sql<{ num: number; version: string }>`
    select current_setting('server_version_num')::int as num, current_setting('server_version') as version
  `.execute(db);
  if (rows[0]!.num < 150_000)
    throw new SchemaError(`PostgreSQL 15 or newer is needed; this server is ${rows[0]!.version}`);

  const migrations = await loadMigrations();
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } });
  const applied = (await migrator.getMigrations()).filter(({ executedAt }) => executedAt);
  const { rows: known } = await sql<{ exists: boolean }>`
    select to_regclass('kysely_migration') is not null as exists
  `.execute(db);
  if (known[0]!.exists) {
    const { rows: names } = await sql<{ name: string }>`select name from kysely_migration`.execute(db);
    const unknown = names.filter(({ name }) => !(name in migrations));
    if (unknown.length)
      throw new SchemaError(
        `The database was migrated by a newer Fairlead (${unknown.map(({ name }) => name).join(', ')}). ` +
          'Start that version, or restore a back-up made by this one.',
      );
  }
  if (applied.length === Object.keys(migrations).length) return [];

  const { error, results } = await migrator.migrateToLatest();
  if (error) {
    const failed = results?.find(({ status }) => status === 'Error')?.migrationName;
    throw new SchemaError(
      `Migration ${failed ?? ''} failed and was rolled back: ${(error as Error).message}`,
      { cause: error },
    );
  }
  return (results ?? []).map(({ migrationName }) => migrationName);
}
