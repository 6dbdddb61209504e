/**
 * Health checks and metrics on a database that was used: with rows in every queue, an idle webhook, and any value that a
 * timestamp can have. Their queries read rows that a new database lacks, and PostgreSQL versions differ in what they accept.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { layTraces } from '../support/erasure-leftovers.ts';
import { type ErasureWorld, startErasureWorld } from '../support/erasure-world.ts';
import { fillQueues, QUEUES, timestampColumns } from '../support/queue-rows.ts';

const PATIENT = { timeout: 240_000 };

let world: ErasureWorld;
/** The same database, served by processes of the other roles. */
let nodes: TestApp[];

beforeAll(async () => {
  const started = await startErasureWorld();
  world = started;
  await layTraces(started);
  nodes = [await startTestApp({ ROLE: 'api' }, world.app), await startTestApp({ ROLE: 'worker' }, world.app)];
});
afterAll(async () => {
  for (const node of nodes) await node.stop();
  await world.stop();
});

interface Health {
  status: number;
  checks: Record<string, string>;
  /** Collectors of gauges that failed, and what was logged of checks. */
  down: string[];
  gauges: Map<string, number>;
}

async function getHealth({ base, logged }: TestApp): Promise<Health> {
  const ready = await fetch(`${base}/readyz`);
  const { checks } = (await ready.json()) as { checks: Record<string, string> };
  const text = await (await fetch(`${base}/metrics`)).text();
  const samples = [...text.matchAll(/^(fairlead_\w+)(?:\{(.*)\})? (\S+)$/gm)];
  const down = samples.filter(([, name, , value]) => name === 'fairlead_collector_up' && value !== '1');
  return {
    status: ready.status,
    checks,
    down: [
      ...down.map(([, , labels]) => labels!),
      ...logged.filter((line) => line.includes('readiness: a check failed')),
    ],
    gauges: new Map(samples.map(([, name, , value]) => [name!, Number(value)])),
  };
}

const failing = ({ checks, down }: Health): string[] => [
  ...Object.keys(checks).filter((name) => checks[name] === 'failed'),
  ...down,
];

test('processes of each role are ready, and each gauge has its value', PATIENT, async () => {
  const [{ idle }] = await world.rows(
    `select count(*)::int as idle from receivers where enabled and next_due_at = 'infinity'`,
  );
  expect(idle).toBeGreaterThan(0);
  const [{ disabled }] = await world.rows(
    `update receivers set enabled = false
     where id = (select id from receivers where next_due_at < 'infinity' limit 1)
     returning (select count(*)::int from receivers where not enabled) as disabled`,
  );
  for (const node of [world.app, ...nodes]) {
    const health = await getHealth(node);
    expect(health.status, node.config.ROLE).toBe(200);
    expect(failing(health), node.config.ROLE).toEqual([]);
    expect(health.gauges.get('fairlead_webhooks_disabled'), node.config.ROLE).toBe(disabled + 1);
  }
});

test('no timestamp in a queue makes a check or a gauge fail', PATIENT, async () => {
  // Nobody empties the queues from here on.
  await world.app.app.stop();
  await nodes.pop()!.app.stop();
  const [api] = nodes as [TestApp];
  const { pool } = world.app.database;
  await fillQueues(pool);
  for (const table of QUEUES)
    expect((await world.rows(`select from ${table} limit 1`)).length, table).toBe(1);
  expect(failing(await getHealth(api))).toEqual([]);

  const columns = await timestampColumns(pool, QUEUES);
  expect(columns.length).toBeGreaterThan(QUEUES.length);
  for (const { table, column } of columns)
    for (const value of [`now() - interval '1 day'`, `now() + interval '1 day'`, `'infinity'`]) {
      await pool.query(`update ${table} set ${column} = ${value}`);
      expect(failing(await getHealth(api)), `${table}.${column} = ${value}`).toEqual([]);
    }
});
