/** The sandbox as a user of the API meets it. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { startTestApp, startWorkspace, type TestApp } from '../../../testing/test-app.ts';

const PATIENT = { timeout: 25_000, interval: 30 };
let app: TestApp;
let key: string;
beforeAll(async () => {
  app = await startTestApp();
  ({ key } = await startWorkspace(app));
});
afterAll(() => app.stop());

const create = async (name: string, more: object = {}): Promise<string> => {
  const { status, body } = await app.call('/instances', { key, body: { name, channel: 'sandbox', ...more } });
  expect(status, JSON.stringify(body)).toBe(201);
  return body.id;
};
const connect = (id: string) => app.call(`/instances/${id}/connect`, { key, method: 'POST' });
const reaches = (id: string, state: string) =>
  vi.waitFor(async () => {
    const { body } = await app.call(`/instances/${id}`, { key });
    expect(body).toMatchObject({ state });
    return body;
  }, PATIENT);

describe('an account', () => {
  test('has the address that its name makes, which nobody else has', async () => {
    const id = await create('Sales (EU)');
    expect(await reaches(id, 'created')).toMatchObject({ address: 'sales-eu' });
    const taken = await app.call('/instances', { key, body: { name: 'sales eu', channel: 'sandbox' } });
    expect(taken.status).toBe(409);
    const none = await app.call('/instances', { key, body: { name: '🎉', channel: 'sandbox' } });
    expect(none.status).toBe(422);
    expect(none.body.errors).toMatchObject([{ pointer: '/name' }]);
    const renamed = await app.call(`/instances/${id}`, { key, method: 'PATCH', body: { name: 'Sales' } });
    expect(renamed.body).toMatchObject({ address: 'sales' });
  });

  test('is paired by a code that is shown, once', async () => {
    const id = await create('phone', { settings: { pairing: 'code', pairing_seconds: 2 } });
    await connect(id);
    await reaches(id, 'action_required');
    const { body } = await app.call(`/instances/${id}/pairing`, { key });
    expect(body).toMatchObject({ kind: 'code' });
    expect(JSON.stringify(body)).toMatch(/[B-Z2-9]{4}-[B-Z2-9]{4}/);
    await reaches(id, 'connected');
    await app.call(`/instances/${id}/restart`, { key, method: 'POST' });
    await reaches(id, 'connected');
    const { rows } = await app.database.pool.query(
      `select count(*)::int as n from events where type = 'instance.state_changed'
       and data #>> '{object,state}' = 'action_required' and data #>> '{object,id}' = $1`,
      [id],
    );
    expect(rows).toEqual([{ n: 1 }]);
  });

  test('with a wrong password fails, and says so before it is made too', async () => {
    const credentials = { password: 'wrong' };
    const id = await create('refused', { credentials });
    await connect(id);
    expect(await reaches(id, 'failed')).toMatchObject({ last_error: { code: 'authentication_failed' } });
    const checked = await app.call('/channels/sandbox/check', {
      key,
      body: { name: 'refused', settings: {}, credentials },
    });
    expect(checked.body).toMatchObject({ ok: false, error: { code: 'authentication_failed' } });
  });
});
