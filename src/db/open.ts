/** The database of this installation, whichever it is, with its schema up to date. */
import type { FastifyBaseLogger } from 'fastify';
import type { Config } from '../config.ts';
import { openDatabase, openPool, type PoolOptions } from './database.ts';
import { migrate, SchemaError } from './migrate.ts';

export interface OpenDatabase {
  connection: PoolOptions;
  /** Ends the embedded server; a server of somebody else's goes on. */
  stop(): Promise<void>;
}

async function findDatabase(config: Config, log: FastifyBaseLogger): Promise<OpenDatabase> {
  if (config.DATABASE_URL)
    return { connection: { connectionString: config.DATABASE_URL }, stop: async () => {} };
  const { startEmbedded } = await import('./embedded/embedded.ts');
  const { connection, stop } = await startEmbedded({ dataDir: config.DATA_DIR, log });
  return { connection, stop };
}

/** @throws EmbeddedDatabaseError or SchemaError, each with one line that says what to do. */
export async function openMigratedDatabase(config: Config, log: FastifyBaseLogger): Promise<OpenDatabase> {
  const database = await findDatabase(config, log);
  const direct = config.DATABASE_DIRECT_URL
    ? { connectionString: config.DATABASE_DIRECT_URL }
    : database.connection;
  const pool = openPool({ ...direct, max: 2 }, (err) => log.warn({ err }, 'a database connection broke'));
  try {
    const done = await migrate(openDatabase(pool)).catch((error: unknown) => {
      throw unreachable(error, config);
    });
    if (done.length) log.info({ migrations: done }, 'the schema is up to date');
    return database;
  } catch (error) {
    await database.stop();
    throw error;
  } finally {
    await pool.end();
  }
}

function unreachable(error: unknown, config: Config): unknown {
  if (error instanceof SchemaError || !config.DATABASE_URL) return error;
  const { host, pathname } = new URL(config.DATABASE_URL);
  return new SchemaError(`DATABASE_URL (${host}${pathname}) can't be used: ${(error as Error).message}`);
}
