/**
 * The operator's way to the database: DATABASE_URL, else the embedded one, whether the server runs (its socket is
 * used) or not (it is started for as long as the command takes).
 */
import { sql } from 'kysely';
import { type Config, ConfigError } from '../../platform/config/config.ts';
import { type Database, openDatabase, openPool, type PoolOptions } from '../../platform/db/database.ts';
import { runningConnection, startEmbedded } from '../../platform/embedded-postgres/embedded.ts';
import { findDataDirectory } from '../../platform/embedded-postgres/data-directory.ts';

/** The command can't be done; the message says why in one line. */
export class AdminError extends Error {}

const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** @throws AdminError where neither DATABASE_URL nor DATA_DIR leads to a database */
export function assertDatabaseNamed({ DATABASE_URL, DATA_DIR }: Config): void {
  if (!DATABASE_URL && findDataDirectory(DATA_DIR) === null)
    throw new AdminError(`There is no database in ${DATA_DIR} (DATA_DIR), or this account can't access it.`);
}

/**
 * A way to the database; what had to be started for it ends with `stop`.
 * @param alone one that a server runs on is not taken
 * @throws AdminError where there is none; whatever starting throws.
 */
export async function findDatabase(
  config: Config,
  alone = false,
): Promise<{ connection: PoolOptions; stop?: () => Promise<void> }> {
  assertDatabaseNamed(config);
  if (config.DATABASE_URL) return { connection: { connectionString: config.DATABASE_URL } };
  const running = alone ? null : await runningConnection(config.DATA_DIR);
  if (running) return { connection: running };
  const embedded = await startEmbedded({ dataDir: config.DATA_DIR, log: quiet });
  return embedded;
}

/**
 * Runs `work` with the database, and leaves everything as it was found.
 * @param options.alone only where no server runs on the embedded one, nor begins to while `work` does
 * @throws AdminError when there is no schema yet; whatever connecting or starting throws.
 */
export async function withDatabase<T>(
  config: Config,
  work: (db: Database) => Promise<T>,
  { alone = false }: { alone?: boolean } = {},
): Promise<T> {
  const { connection, stop } = await findDatabase(config, alone);
  const pool = openPool({ ...connection, max: 2 }, () => undefined);
  try {
    const db = openDatabase(pool);
    const { rows } = await sql<{ ready: boolean }>`select to_regclass('users') is not null as ready`.execute(
      db,
    );
    if (!rows[0]!.ready)
      throw new AdminError('There are no users, because the server was never started on this database.');
    return await work(db);
  } finally {
    await pool.end();
    await stop?.();
  }
}

/** One line for whatever went wrong, without a stack. */
export function describe(error: unknown): string {
  const { message, code, errors } = error as Error & { code?: string; errors?: Error[] };
  if (error instanceof ConfigError || error instanceof AdminError) return message;
  const text = message || errors?.[0]?.message || code || String(error);
  return text.split('\n')[0]!;
}
