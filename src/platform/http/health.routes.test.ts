import Fastify from 'fastify';
import { afterEach, expect, test } from 'vitest';
import { readConfig } from '../config/config.ts';
import { type HealthDeps, registerHealth } from '../../app/health.routes.ts';
import type { Check } from './health-check.ts';

const app = { server: Fastify() };
const logged: string[] = [];
const tell = (details: object, message: string): void => {
  logged.push(
    `${message} ${JSON.stringify(details, (_, value) => (value instanceof Error ? value.message : value))}`,
  );
};

async function ready(deps: Pick<HealthDeps, 'checks' | 'sharedChecks'>) {
  app.server = Fastify();
  registerHealth(app.server, {
    config: readConfig({}),
    log: { info: tell, error: tell },
    metrics: async () => '',
    isStopping: () => false,
    ...deps,
  });
  return async () => {
    const { statusCode, body } = await app.server.inject('/readyz');
    return [statusCode, JSON.parse(body)];
  };
}
afterEach(async () => {
  logged.length = 0;
  await app.server.close();
});

const ok: Check = () => 'ok';

test('a check that fails makes a process unready; its reason is logged once', async () => {
  let fault: Error | null = new Error('the connection was refused');
  const database: Check = () => {
    if (fault) throw fault;
    return 'ok';
  };
  const ask = await ready({ checks: { database }, sharedChecks: { deliveries: ok } });
  const failed = { status: 'failed', stopping: false, checks: { database: 'failed', deliveries: 'ok' } };
  for (let polls = 0; polls < 3; polls++) expect(await ask()).toEqual([503, failed]);
  expect(logged).toEqual([
    'readiness: a check failed {"check":"database","err":"the connection was refused"}',
  ]);
  fault = null;
  expect((await ask())[0]).toBe(200);
  expect(logged.slice(1)).toEqual(['readiness: the check passes again {"check":"database"}']);
});

test('a check of shared work that fails, or hangs, degrades a process', async () => {
  const deliveries: Check = () => Promise.reject(new Error('no such column'));
  const connections: Check = () => new Promise(() => {});
  const ask = await ready({ checks: { database: ok }, sharedChecks: { deliveries, connections } });
  expect(await ask()).toEqual([
    200,
    {
      status: 'degraded',
      stopping: false,
      checks: { database: 'ok', deliveries: 'degraded', connections: 'degraded' },
    },
  ]);
  expect(logged).toEqual([
    'readiness: a check failed {"check":"deliveries","err":"no such column"}',
    'readiness: a check failed {"check":"connections","err":"no result within 2000 ms"}',
  ]);
});
