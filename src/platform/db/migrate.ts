/**
 * Applies the numbered `.sql` files. Forward only, one process at a time (upgrade-lock.ts). All pending migrations run
 * in one transaction, so a killed process leaves the schema unchanged. A schema newer than this program refuses start.
 * Old processes may keep serving: a migration gives up waiting for their locks after a short time, so that no request
 * queues behind it for long, and is retried.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import type { Database } from './database.ts';
import { withUpgradeLock } from './upgrade-lock.ts';

const FOLDER = join(import.meta.dirname, 'migrations');

/**
 * How long a migration waits for a lock, with every other statement on that table waiting behind it. Well below
 * PostgreSQL's deadlock timeout of 1 s, so that in a deadlock with a request the migration gives way.
 */
const LOCK_TIMEOUT = '200ms';
/**
 * The same for comments, whose lock only vacuums and other changes of the schema wait for. More than the deadlock timeout,
 * after which PostgreSQL cancels an autovacuum that is in the way.
 */
const COMMENT_LOCK_TIMEOUT = '5s';
const LOCK_TRIES = 200;
const BETWEEN_TRIES_MS = 500;
const LOCK_NOT_AVAILABLE = '55P03';
const DEADLOCK = '40P01';

/** The database can't be used by this program; the message gives the reason and the remedy. */
export class SchemaError extends Error {
  override name = 'SchemaError';
}

export interface MigrateOptions {
  /**
   * Called before the first pending migration of a database that has data, by one process at a time. Where it throws,
   * nothing is migrated.
   */
  beforeMigrations?: (db: Database, pending: string[]) => Promise<void>;
  /** Called once if another process is currently upgrading the database. */
  onWait?: () => void;
  /** Brought up to date in the same turn, after the migrations. */
  further?: FurtherTables;
}

/** Tables in the database that are not made by the `.sql` files. */
export interface FurtherTables {
  /** @returns what is to be done, by names for logs and files, as `jobs_46`; none where they are up to date, or not there */
  pending(db: Database): Promise<string[]>;
  /** All or nothing. @throws SchemaError */
  upgrade(): Promise<void>;
}

/** @returns names of all migrations that this program has, in order, as `0001_workspaces_and_events`. */
export async function knownMigrations(): Promise<string[]> {
  return (await readdir(FOLDER))
    .filter((file) => file.endsWith('.sql'))
    .map((file) => file.slice(0, -4))
    .sort();
}

/** @returns names of the migrations that the database has, in order; none where it is no database of Fairlead yet. */
export async function appliedMigrations(db: Database): Promise<string[]> {
  const { rows: known } = await sql<{ exists: boolean }>`
    select to_regclass('kysely_migration') is not null as exists
  `.execute(db);
  if (!known[0]!.exists) return [];
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db);
  return rows.map(({ name }) => name).sort();
}

/**
 * Brings an older schema up to date.
 * @returns names of the migrations that ran now; none where another process ran them.
 * @throws SchemaError when the server is too old, the schema is newer, or a migration fails (it is rolled back).
 */
export async function migrate(db: Database, options: MigrateOptions = {}): Promise<string[]> {
  await assertServerIsNewEnough(db);
  const known = await knownMigrations();
  const pendingNow = async (): Promise<{ pending: string[]; further: string[]; isFresh: boolean }> => {
    const applied = await appliedMigrations(db);
    assertAllKnown(applied, known);
    const own = known.filter((name) => !applied.includes(name));
    const further = (await options.further?.pending(db)) ?? [];
    return { pending: [...own, ...further], further, isFresh: applied.length === 0 };
  };
  const isPending = async () => (await pendingNow()).pending.length > 0;
  const done = await withUpgradeLock(
    db,
    { isNeeded: isPending, onWait: options.onWait },
    async (stillMine) => {
      const { pending, further, isFresh } = await pendingNow();
      // Another node may have done all of it between the look before and this turn.
      if (pending.length === 0) return [];
      if (!isFresh) await options.beforeMigrations?.(db, pending);
      await stillMine();
      const ran = await run(db, known);
      if (further.length) await options.further!.upgrade();
      return [...ran, ...further];
    },
  );
  return done ?? [];
}

/**
 * Migrates a schema to exactly these migrations, for a database that will be filled with a copy of another.
 * @param names migrations of the other database: see `appliedMigrations`.
 * @returns names of the migrations that ran now.
 * @throws SchemaError when this program lacks one of them, the schema has others, or one fails (it is rolled back).
 */
export async function migrateTo(db: Database, names: string[]): Promise<string[]> {
  await assertServerIsNewEnough(db);
  assertAllKnown(names, await knownMigrations());
  const further = (await appliedMigrations(db)).filter((name) => !names.includes(name));
  if (further.length) throw new SchemaError(`The database has further migrations (${further.join(', ')}).`);
  return await run(db, [...names].sort());
}

async function assertServerIsNewEnough(db: Database): Promise<void> {
  const { rows } = await sql<{ num: number; version: string }>`
    select current_setting('server_version_num')::int as num, current_setting('server_version') as version
  `.execute(db);
  if (rows[0]!.num < 150_000)
    throw new SchemaError(`PostgreSQL 15 or newer is needed; this server is ${rows[0]!.version}`);
}

function assertAllKnown(names: string[], known: string[]): void {
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length)
    throw new SchemaError(
      `The database was migrated by a newer Fairlead (${unknown.join(', ')}). ` +
        'Start that version, or restore a backup made by this one.',
    );
}

/** Runs the `names` that the database lacks, all or none. */
async function run(db: Database, names: string[]): Promise<string[]> {
  const texts = await Promise.all(names.map((name) => readFile(join(FOLDER, `${name}.sql`), 'utf8')));
  const migrations = Object.fromEntries(names.map((name, n) => [name, toMigration(texts.slice(n))]));
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } });
  for (let tries = 1; ; tries += 1) {
    const { error, results } = await migrator.migrateToLatest();
    if (!error) return (results ?? []).map(({ migrationName }) => migrationName);
    const { code = '', message } = error as { code?: string; message: string };
    if ([LOCK_NOT_AVAILABLE, DEADLOCK].includes(code) && tries < LOCK_TRIES) {
      await delay(BETWEEN_TRIES_MS);
      continue;
    }
    const failed = results?.find(({ status }) => status === 'Error')?.migrationName;
    throw new SchemaError(`Migration ${failed ?? ''} failed and was rolled back: ${message}`, {
      cause: error,
    });
  }
}

/** @param texts that of the migration, and those of the following ones */
function toMigration(texts: readonly string[]): Migration {
  return {
    async up(db) {
      await lockTables(db, texts.join('\n'));
      await sql.raw(texts[0]!).execute(db);
    },
  };
}

/**
 * Locks what the statements alter before any of them runs. A lock that is taken late, after seconds of work under
 * others, could be part of a deadlock that a request finds first.
 */
async function lockTables(db: Kysely<unknown>, text: string): Promise<void> {
  const altered = new Set(Array.from(text.matchAll(/^\s*alter table (\w+)/gim), ([, name]) => name!));
  const indexed = new Set(
    Array.from(text.matchAll(/^\s*create (?:unique )?index \w+ on (\w+)/gim), ([, name]) => name!),
  ).difference(altered);
  const commented = new Set(
    Array.from(text.matchAll(/^\s*comment on (?:table|column) (\w+)/gim), ([, name]) => name!),
  );
  const { rows } = await sql<{ name: string }>`
    select name from unnest(${[...altered, ...indexed, ...commented]}::text[]) as name where to_regclass(name) is not null
  `.execute(db);
  const existing = new Set(rows.map(({ name }) => name));
  for (const [names, mode, timeout] of [
    // First, while nothing that readers or writers wait for is locked. `only`: partitions are not commented on.
    [commented, 'share update exclusive', COMMENT_LOCK_TIMEOUT],
    [altered, 'access exclusive', LOCK_TIMEOUT],
    [indexed, 'share', LOCK_TIMEOUT],
  ] as const) {
    await sql.raw(`set local lock_timeout = '${timeout}'`).execute(db);
    const only = mode === 'share update exclusive' ? sql`only ` : sql``;
    const locked = [...names.intersection(existing)].sort().map((name) => sql`${only}${sql.table(name)}`);
    if (locked.length) await sql`lock table ${sql.join(locked)} in ${sql.raw(mode)} mode`.execute(db);
  }
}
