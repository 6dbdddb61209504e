/** The tables that pg-boss creates and upgrades when it starts. */
import { openPool, type PoolOptions } from './database.ts';

const JOBS_SCHEMA = 'pgboss';

/**
 * Creates the tables, or upgrades them to the program's version, without running jobs.
 * @param connection connection without a transaction pooler
 * @returns their version @throws any error of pg-boss
 */
export async function makeJobTables(connection: PoolOptions): Promise<number | null> {
  const { PgBoss } = await import('pg-boss');
  const pool = openPool({ ...connection, max: 1 }, () => undefined); // the query throws connection errors
  try {
    const boss = new PgBoss({
      db: { executeSql: (text, values) => pool.query(text, values) },
      schema: JOBS_SCHEMA,
      supervise: false,
      schedule: false,
      registerInstance: false,
      openTelemetry: { enabled: false },
    });
    boss.on('error', () => undefined); // start() throws them
    await boss.start();
    const version = await boss.schemaVersion();
    await boss.stop({ graceful: false });
    return version;
  } finally {
    await pool.end();
  }
}
