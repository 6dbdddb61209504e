/**
 * One PostgreSQL for a whole test run: TEST_DATABASE_URL where it is set, else one of its own
 * (support/test-server.ts). The schema is migrated once, into the template that test files copy.
 */
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { openDatabase, openPool, type PoolOptions } from '../src/db/database.ts';
import { migrate } from '../src/db/migrate.ts';
import { TEMPLATE } from '../src/db/testing.ts';
import { clusterParent, startTestServer } from './support/test-server.ts';

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

export default async function setup(): Promise<() => Promise<void>> {
  const given = process.env.TEST_DATABASE_URL;
  const folder = given ? null : await mkdtemp(join(await clusterParent(), 'fairlead-test-'));
  if (folder) await chmod(folder, 0o755); // as root, PostgreSQL runs as nobody, who must get there
  const own = folder ? await startTestServer(folder) : null;
  const server: PoolOptions = given ? fromUrl(given) : { ...own!.connection };
  process.env.FAIRLEAD_TEST_SERVER = JSON.stringify(server);

  const client = new pg.Client(server);
  await client.connect();
  await client.query(`drop database if exists ${TEMPLATE} with (force)`);
  await client.query(`create database ${TEMPLATE} template template0`);
  await client.end();
  const pool = openPool({ ...server, database: TEMPLATE, max: 2 }, console.error);
  await migrate(openDatabase(pool));
  await pool.end();

  return async () => {
    await own?.stop();
    if (folder) await rm(folder, { recursive: true, force: true });
  };
}
