/**
 * Connects operator commands to the database: DATABASE_URL, otherwise the embedded database. If the server is running,
 * its socket is used; if not, the embedded database is started for the duration of the command.
 */
import { sql } from 'kysely';
import { type Config, ConfigError } from '../../platform/config/config.ts';
import { type Database, openDatabase, openPool, type PoolOptions } from '../../platform/db/database.ts';
import { runningConnection, startEmbedded } from '../../platform/embedded-postgres/embedded.ts';
import { findDataDirectory } from '../../platform/embedded-postgres/data-directory.ts';

/** The command can't be executed. The message gives the reason in one line. */
export class AdminError extends Error {}

const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** @throws AdminError if neither DATABASE_URL nor DATA_DIR leads to a database */
export function assertDatabaseNamed({ DATABASE_URL, DATA_DIR }: Config): void {
  if (!DATABASE_URL && findDataDirectory(DATA_DIR) === null)
    throw new AdminError(`There is no database in ${DATA_DIR} (DATA_DIR), or this account can't access it.`);
}

/**
 * Finds the database and starts it if necessary; `stop` ends what was started.
 * @param alone rejects a database that a server is running on
 * @throws AdminError if there is no database; any error from starting it
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
 * Runs `work` with the database and then stops what was started for it.
 * @param options.alone requires that no server runs on the embedded database or starts during `work`
 * @throws AdminError if there is no schema yet; any error from connecting or starting
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

/** Describes any error in one line, without a stack. */
export function describe(error: unknown): string {
  const { message, code, errors } = error as Error & { code?: string; errors?: Error[] };
  if (error instanceof ConfigError || error instanceof AdminError) return message;
  const text = message || errors?.[0]?.message || code || String(error);
  return text.split('\n')[0]!;
}
