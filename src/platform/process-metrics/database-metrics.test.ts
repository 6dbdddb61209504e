import { once } from 'node:events';
import { createServer } from 'node:net';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDatabaseMetrics } from './database-metrics.ts';
import { openPool } from '../db/database.ts';
import { createTestDatabase, type TestDatabase } from '../../../test/support/db.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase('template0');
});
afterAll(() => database.drop());

const lines = async (registry: Registry, name: string): Promise<string[]> =>
  (await registry.getSingleMetricAsString(name)).split('\n').filter((line) => line.startsWith(name));

test('connections in use, idle and waited for are told by pool', async () => {
  const control = openPool({ ...database.connection, max: 2 }, () => {});
  const requests = openPool({ ...database.connection, max: 1 }, () => {});
  const registry = new Registry();
  createDatabaseMetrics(registry, { control, requests });
  expect(await lines(registry, 'fairlead_database_up')).toEqual(['fairlead_database_up 1']);
  const held = await requests.connect();
  const second = requests.connect();
  expect(await lines(registry, 'fairlead_database_connections')).toEqual([
    'fairlead_database_connections{pool="control",state="used"} 0',
    'fairlead_database_connections{pool="control",state="idle"} 1',
    'fairlead_database_connections{pool="control",state="most"} 2',
    'fairlead_database_connections{pool="requests",state="used"} 1',
    'fairlead_database_connections{pool="requests",state="idle"} 0',
    'fairlead_database_connections{pool="requests",state="most"} 1',
  ]);
  expect(await lines(registry, 'fairlead_database_waiting')).toEqual([
    'fairlead_database_waiting{pool="control"} 0',
    'fairlead_database_waiting{pool="requests"} 1',
  ]);
  held.release();
  (await second).release();
  expect(await lines(registry, 'fairlead_database_waiting')).toContain(
    'fairlead_database_waiting{pool="requests"} 0',
  );
  await Promise.all([control.end(), requests.end()]);
});

test('a database that refuses, and one that never answers, are not up', async () => {
  const silent = createServer((socket) => socket.on('error', () => {})).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as { port: number };
  for (const where of [1, port]) {
    const control = openPool(
      { host: '127.0.0.1', port: where, user: 'x', database: 'x', password: 'x' },
      () => {},
    );
    const registry = new Registry();
    createDatabaseMetrics(registry, { control });
    expect(await lines(registry, 'fairlead_database_up')).toEqual(['fairlead_database_up 0']);
    void control.end();
  }
  silent.close();
});
