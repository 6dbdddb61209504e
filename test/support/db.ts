/**
 * Databases for tests: each file gets its own, copied from a migrated template. test/global-setup.ts says where the
 * server is (the embedded one, or TEST_DATABASE_URL).
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { type Database, openDatabase, openPool, type PoolOptions } from '../../src/platform/db/database.ts';

export const TEMPLATE = 'fairlead_template';
/** Also has the partitions and job queues that the product creates when it starts. */
export const APP_TEMPLATE = 'fairlead_app_template';
const INSUFFICIENT_PRIVILEGE = '42501';

/** Connection settings of the test server, with another database than its own where `database` is given. */
export function testServer(database?: string): PoolOptions {
  const given = process.env.FAIRLEAD_TEST_SERVER;
  if (!given) throw new Error('FAIRLEAD_TEST_SERVER is not set; run the tests through npm test or vitest');
  const server = JSON.parse(given) as PoolOptions;
  return database ? { ...server, database } : server;
}

/** The same settings as DATABASE_URL has them. */
export function getUrl({ host = '', port = 5432, user = '', password, database = '' }: PoolOptions): string {
  const secret = typeof password === 'string' && password ? `:${encodeURIComponent(password)}` : '';
  const login = `${encodeURIComponent(user)}${secret}`;
  return host.startsWith('/')
    ? `postgres://${login}@localhost/${database}?host=${encodeURIComponent(host)}&port=${port}`
    : `postgres://${login}@${host}:${port}/${database}`;
}

/** The address of a database of that server, as DATABASE_URL has it. */
export const testServerUrl = (database: string): string => getUrl(testServer(database));

export interface TestDatabase {
  name: string;
  connection: PoolOptions;
  pool: pg.Pool;
  db: Database;
  drop(): Promise<void>;
}

async function onServer(statement: string): Promise<void> {
  const client = new pg.Client(testServer());
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

/** Tries again while PostgreSQL cleans up in it (autovacuum), which only a superuser may end. */
async function dropDatabase(name: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await onServer(`drop database ${name} with (force)`);
      return;
    } catch (error) {
      if ((error as { code?: string }).code !== INSUFFICIENT_PRIVILEGE || tries === 50) throw error;
      await delay(100);
    }
  }
}

/**
 * Creates a database for one test file. Drop it in `afterAll`.
 * @param template `template0` is without the schema
 */
export async function createTestDatabase(
  template: typeof TEMPLATE | typeof APP_TEMPLATE | 'template0' = TEMPLATE,
): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  // Copying files costs half of the CPU time of writing the copy to the WAL, PostgreSQL's default.
  await onServer(`create database ${name} template ${template} strategy file_copy`);
  const connection = testServer(name);
  const pool = openPool({ ...connection, max: 16 }, () => {});
  return {
    name,
    connection,
    pool,
    db: openDatabase(pool),
    async drop() {
      await pool.end();
      await dropDatabase(name);
    },
  };
}
