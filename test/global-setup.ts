/**
 * One PostgreSQL for a whole test run: TEST_DATABASE_URL where it is set, else one of its own
 * (support/test-server.ts). The schema is migrated once, into the template that test files copy. A second template also
 * has what each start of the product adds when it is missing, the first partitions and the job queues: some 200
 * statements that each test app would repeat.
 */
import { rm } from 'node:fs/promises';
import pg from 'pg';
import { openDatabase, openPool, type PoolOptions } from '../src/platform/db/database.ts';
import { migrate } from '../src/platform/db/migrate.ts';
import { createPartitionManager } from '../src/platform/db/partition-manager.ts';
import { APP_TEMPLATE, TEMPLATE } from './support/db.ts';
import { getPartitions } from '../src/app/surfaces.ts';
import { eventPartitions } from '../src/core/events/event-retention.ts';
import { createJobs } from '../src/platform/jobs/jobs.ts';
import { createClusterFolder, startTestServer } from './support/test-server.ts';

/** Bounds only what is dropped, and an app drops what its own setting says. */
const CLICKS_KEPT_DAYS = 1;

function fromUrl(address: string): PoolOptions {
  const { hostname, port, username, password, pathname, searchParams } = new URL(address);
  return {
    host: searchParams.get('host') ?? hostname,
    port: Number(port || searchParams.get('port') || 5432),
    user: decodeURIComponent(username || searchParams.get('user') || 'postgres'),
    password: decodeURIComponent(password),
    database: pathname.slice(1) || 'postgres',
  };
}

/** Replaces a template database with a copy of another one, and prepares it. */
async function createTemplate(
  server: PoolOptions,
  name: string,
  from: string,
  prepare: (pool: pg.Pool) => Promise<void>,
): Promise<void> {
  const client = new pg.Client(server);
  await client.connect();
  await client.query(`drop database if exists ${name} with (force)`);
  await client.query(`create database ${name} template ${from} strategy file_copy`);
  await client.end();
  const pool = openPool({ ...server, database: name, max: 2 }, console.error);
  await prepare(pool);
  await pool.end();
}

export default async function setup(): Promise<() => Promise<void>> {
  const given = process.env.TEST_DATABASE_URL;
  const folder = given ? null : await createClusterFolder();
  const own = folder ? await startTestServer(folder) : null;
  const server: PoolOptions = given ? fromUrl(given) : { ...own!.connection };
  process.env.FAIRLEAD_TEST_SERVER = JSON.stringify(server);

  await createTemplate(
    server,
    TEMPLATE,
    'template0',
    async (pool) => void (await migrate(openDatabase(pool))),
  );
  await createTemplate(server, APP_TEMPLATE, TEMPLATE, async (pool) => {
    const log = { info() {}, warn: console.error, error: console.error };
    const tables = [eventPartitions, ...getPartitions({ CLICKS_KEPT_DAYS })];
    await createPartitionManager({ db: openDatabase(pool), log, tables }).prepare();
    const jobs = createJobs({ pool, db: openDatabase(pool), log, performs: false });
    jobs.start();
    await jobs.stop();
  });

  return async () => {
    await own?.stop();
    if (folder) await rm(folder, { recursive: true, force: true });
  };
}
