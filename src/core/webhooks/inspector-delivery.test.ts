/** A first webhook without any other server: events of the workspace arrive at its own inspector. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startTestApp, startWorkspace, type TestApp } from '../../../test/support/test-app.ts';

let app: TestApp;
let home: Awaited<ReturnType<typeof startWorkspace>>;

beforeAll(async () => {
  app = await startTestApp();
  home = await startWorkspace(app);
});
afterAll(() => app.stop());

const call = async (path: string, body?: unknown, method?: string) => {
  const answer = await home.owner.call(path, { workspace: home.workspace, body, method });
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
  return answer.body;
};

test('an event arrives at the inspector, signed; what the inspector answers counts', async () => {
  const inspector = await call('/inspectors', {});
  const webhook = await call('/webhooks', { url: inspector.url, events: ['api_key.created'] });
  const made = await call('/api-keys', { name: 'k', scopes: ['links:read'] });
  const requests = () => call(`/inspectors/${inspector.id}/requests?source=delivery`);
  await vi.waitFor(async () => expect((await requests()).data).toHaveLength(1), 10_000);
  const [first] = (await requests()).data;
  expect(first).toMatchObject({
    webhook_id: webhook.id,
    event_type: 'api_key.created',
    signature: 'valid',
    remote_address: null,
    answered: { status: 200, delay_ms: 0 },
  });
  const whole = await call(`/inspectors/${inspector.id}/requests/${first.id}`);
  const event = JSON.parse(whole.body);
  expect(event).toMatchObject({
    object: 'event',
    type: 'api_key.created',
    data: { object: { id: made.id } },
  });
  expect(whole.headers).toContainEqual({ name: 'webhook-id', value: event.id });
  const reader = await call('/api-keys', { name: 'reader', scopes: ['webhooks:read'] });
  const { body: seen } = await app.call(`/inspectors/${inspector.id}/requests/${first.id}`, {
    key: reader.secret,
  });
  expect([seen.event_type, seen.body, seen.body_hidden]).toEqual(['api_key.created', null, true]);
  expect(whole.body_hidden).toBe(false);

  await call(`/inspectors/${inspector.id}`, { answer: { status: 410 } }, 'PATCH');
  await call('/api-keys', { name: 'k', scopes: ['links:read'] });
  await vi.waitFor(
    async () =>
      expect(await call(`/webhooks/${webhook.id}`)).toMatchObject({
        enabled: false,
        disabled_reason: 'gone',
      }),
    10_000,
  );
  expect((await requests()).data[0].answered).toHaveStatus(410);
});
