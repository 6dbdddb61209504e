/** The tables that pg-boss makes and upgrades by itself when it starts. */
import { openPool, type PoolOptions } from './database.ts';

const JOBS_SCHEMA = 'pgboss';

/**
 * Makes them, or brings them up to the program's version, and performs nothing.
 * @param connection a way to the database without a transaction pooler between
 * @returns their version. @throws what pg-boss throws
 */
export async function makeJobTables(connection: PoolOptions): Promise<number | null> {
  const { PgBoss } = await import('pg-boss');
  const pool = openPool({ ...connection, max: 1 }, () => undefined); // what breaks is thrown by the query
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
