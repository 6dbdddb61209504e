/**
 * The tables of jobs, which pg-boss creates and upgrades when it starts. If a database has older ones than the program,
 * the start upgrades them together with the migrations (db/migrate.ts): after the backup, by one process, and before
 * any job runs. A new database gets them with its first job.
 */
import { sql } from 'kysely';
// The package itself is not loaded here: that costs 80 ms and some memory.
import pgBossPackage from 'pg-boss/package.json' with { type: 'json' };
import type { Database, PoolOptions } from '../db/database.ts';
import { makeJobTables } from '../db/job-tables.ts';
import { type FurtherTables, SchemaError } from '../db/migrate.ts';

/** The version of the tables that this program's pg-boss works with. */
const PROGRAM_VERSION = pgBossPackage.pgboss.schema;

/** @returns null where there are no tables of jobs yet */
async function versionIn(db: Database): Promise<number | null> {
  const { rows: known } = await sql<{ exists: boolean }>`
    select to_regclass('pgboss.version') is not null as exists
  `.execute(db);
  if (!known[0]!.exists) return null;
  const { rows } = await sql<{ version: number }>`select version from pgboss.version`.execute(db);
  return rows[0]?.version ?? null;
}

/** @param connection a way to the database without a transaction pooler between */
export const jobTables = (connection: PoolOptions): FurtherTables => ({
  async pending(db) {
    const there = await versionIn(db);
    return there !== null && there < PROGRAM_VERSION ? [`jobs_${PROGRAM_VERSION}`] : [];
  },
  /** In one transaction of pg-boss's, which waits for locks of running nodes 30 s at most. */
  async upgrade() {
    try {
      await makeJobTables(connection);
    } catch (error) {
      throw new SchemaError(
        `The tables of jobs could not be brought up to date, and are as they were: ${(error as Error).message}`,
        { cause: error },
      );
    }
  },
});
