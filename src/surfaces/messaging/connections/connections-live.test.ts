/** Tests connections in the whole product: through the API, across a restart, and in metrics and readiness. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { PATIENCE } from '../../../../test/support/patience.ts';
import { startTestApp, startWorkspace, type TestApp } from '../../../../test/support/test-app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

const metric = async (on: TestApp, name: string): Promise<number> => {
  const text = await (await fetch(`${on.base}/metrics`)).text();
  return Number(new RegExp(`^${name.replaceAll(/[{}]/g, '\\$&')} (\\S+)$`, 'm').exec(text)?.[1]);
};

test('connects, continues on another node, disconnects and deletes, with metrics', async () => {
  const { key } = await startWorkspace(app);
  const made = await app.call('/instances', { key, body: { name: 'support', channel: 'sandbox' } });
  const path = `/instances/${made.body.id}`;
  const state = (on: TestApp, wanted: string) =>
    vi.waitFor(async () => {
      const { body } = await on.call(path, { key });
      expect(body).toMatchObject({ state: wanted });
      return body;
    }, PATIENCE);
  await app.call(`${path}/connect`, { key, method: 'POST' });
  expect(await state(app, 'connected')).toMatchObject({ desired_state: 'connected', last_error: null });
  expect(await metric(app, 'fairlead_connections_up')).toBe(1);
  expect(await metric(app, 'fairlead_connections_held')).toBe(1);
  expect(await metric(app, 'fairlead_instances{state="connected"}')).toBe(1);
  expect(await metric(app, 'fairlead_connection_opens_total{channel="sandbox",outcome="opened"}')).toBe(1);

  const next = await startTestApp({}, app);
  // Simulates that the first node stopped: its connections are free immediately.
  await app.call(`${path}/restart`, { key, method: 'POST' });
  await vi.waitFor(async () => {
    const { rows } = await app.database.pool.query('select epoch from connections where node_id is not null');
    expect(rows).toEqual([{ epoch: 2 }]);
  }, PATIENCE);
  await state(next, 'connected');
  expect(
    (await metric(app, 'fairlead_connections_up')) + (await metric(next, 'fairlead_connections_up')),
  ).toBe(1);
  const holder = (await metric(next, 'fairlead_connections_up')) === 1 ? 'next' : 'first';
  await next.stop();
  await vi.waitFor(async () => expect(await metric(app, 'fairlead_connections_up')).toBe(1), PATIENCE);
  const { rows } = await app.database.pool.query('select epoch from connections');
  expect(rows).toEqual([{ epoch: holder === 'next' ? 3 : 2 }]);

  await app.call(`${path}/disconnect`, { key, method: 'POST' });
  await vi.waitFor(async () => expect(await metric(app, 'fairlead_connections_held')).toBe(0), PATIENCE);
  await app.call(path, { key, method: 'DELETE' });
  expect(await app.call(path, { key })).toHaveStatus(404);
});

test('readiness is degraded if a connection has been due without a holder for over a minute', async () => {
  const api = await startTestApp({ ROLE: 'api' });
  const ready = async (): Promise<unknown> => (await fetch(`${api.base}/readyz`)).json();
  const due = (ago: string) =>
    api.database.pool.query(
      `insert into connections (instance_id, workspace_id, wanted, due_at)
       values (gen_random_uuid(), gen_random_uuid(), true, now() - $1::interval)`,
      [ago],
    );
  await due('50 seconds');
  expect(await ready()).toMatchObject({ status: 'ok', checks: { connections: 'ok' } });
  await due('70 seconds');
  expect(await ready()).toMatchObject({ status: 'degraded', checks: { connections: 'degraded' } });
  await api.stop();
});
