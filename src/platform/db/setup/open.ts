/** The database of this installation, whichever it is, with its schema up to date. */
import type { FastifyBaseLogger } from 'fastify';
import type { Config } from '../../config/config.ts';
import { jobTables } from '../../jobs/job-tables.system-store.ts';
import { directConnection, openDatabase, openPool, type PoolOptions } from '../database.ts';
import { startEmbedded } from '../../embedded-postgres/embedded.ts';
import { assertNotMoved } from '../copy/freeze.ts';
import { migrate, type MigrateOptions, SchemaError } from '../migrate.ts';

/** Loading the server's modules at the same time blocks this process for a while. */
const CONNECTED_WITHIN_MS = 30_000;

export interface OpenDatabase {
  connection: PoolOptions;
  /** Stops the embedded server; other servers keep running. */
  stop(): Promise<void>;
}

async function findDatabase(config: Config, log: FastifyBaseLogger): Promise<OpenDatabase> {
  if (config.DATABASE_URL)
    return { connection: { connectionString: config.DATABASE_URL }, stop: async () => {} };
  const { connection, stop } = await startEmbedded({ dataDir: config.DATA_DIR, log });
  return { connection, stop };
}

/**
 * @param beforeMigrations is given a way to the database without a transaction pooler between; where it throws a
 * SchemaError nothing is migrated.
 * @throws EmbeddedDatabaseError or SchemaError, each with one line that says what to do.
 */
export async function openMigratedDatabase(
  config: Config,
  log: FastifyBaseLogger,
  beforeMigrations: (direct: PoolOptions) => MigrateOptions['beforeMigrations'],
): Promise<OpenDatabase> {
  const database = await findDatabase(config, log);
  const direct = directConnection(config, database.connection);
  const pool = openPool({ ...direct, max: 2, connectionTimeoutMillis: CONNECTED_WITHIN_MS }, (err) =>
    log.warn({ err }, 'database: connection lost'),
  );
  const onWait = () => log.info('another process upgrades the database; waiting for it');
  try {
    const db = openDatabase(pool);
    const upgrade = async (): Promise<string[]> => {
      await assertNotMoved(db);
      const further = jobTables(direct);
      return migrate(db, { beforeMigrations: beforeMigrations(direct), onWait, further });
    };
    const done = await upgrade().catch((error: unknown) => {
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
  const name = config.DATABASE_DIRECT_URL ? 'DATABASE_DIRECT_URL' : 'DATABASE_URL';
  const { host, pathname } = new URL(config[name]!);
  return new SchemaError(`${name} (${host}${pathname}) can't be used: ${(error as Error).message}`);
}
