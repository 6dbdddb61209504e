/** Tests webhooks and rules whose receiver is an inspector: its secret URL is never stored in plain text. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { searchEverything } from '../../../test/support/search-everything.ts';
import { createSecretBox } from '../../platform/crypto/secret-box.ts';
import { startTestApp, startWorkspace, TEST_SECRET, type TestApp } from '../../../test/support/test-app.ts';

const PATIENCE = { timeout: 120_000, interval: 50 };

let app: TestApp;
let home: Awaited<ReturnType<typeof startWorkspace>>;
beforeAll(async () => {
  app = await startTestApp();
  home = await startWorkspace(app);
});
afterAll(() => app.stop());

const call = async (path: string, body?: unknown, method?: string, headers?: Record<string, string>) => {
  const answer = await app.call(path, { key: home.key, body, method, headers });
  expect([path, answer.status, answer.body.errors]).toEqual([
    path,
    expect.toSatisfy((status) => status < 300),
    undefined,
  ]);
  return answer;
};
const make = async (path: string, body: object) => (await call(path, body)).body;
const byId = ({ id }: { id: string }) => `${app.config.baseUrl}/inspect/${id}`;
const received = async ({ id }: { id: string }) =>
  (await call(`/inspectors/${id}/requests?limit=100`)).body.data;

test('a webhook and a rule keep the address by its ID, and deliver there', async () => {
  const [one, other, log] = [
    await make('/inspectors', {}),
    await make('/inspectors', {}),
    await make('/inspectors', {}),
  ];
  const idempotent = { 'idempotency-key': 'webhook' };
  const body = { url: one.url, events: ['link.created'], metadata: { first: 'true' } };
  const { body: webhook } = await call('/webhooks', body, 'POST', idempotent);
  expect([webhook.url, webhook.target_url]).toEqual([byId(one), byId(one)]);
  // Emits events of webhooks and rules that contain their URLs.
  await make('/webhooks', { url: log.url, events: ['webhook.*', 'rule.*'] });
  const again = await call('/webhooks', body);
  expect([again.status, again.body.id]).toEqual([200, webhook.id]);
  expect((await call('/webhooks', { ...body, url: byId(one) })).body.id).toBe(webhook.id);
  for (const url of [one.url, byId(one)])
    expect((await call(`/webhooks?url=${encodeURIComponent(url)}`)).body.data).toMatchObject([
      { id: webhook.id },
    ]);

  const action = { type: 'call_webhook', name: 'hook', url: other.url };
  const rule = await make('/rules', { name: 'Calls', events: ['link.created'], actions: [action] });
  expect(rule.actions[0].url).toBe(byId(other));
  expect((await call(`/rules/${rule.id}`, { actions: [action] }, 'PATCH')).body.actions[0].url).toBe(
    byId(other),
  );
  expect((await call(`/webhooks/${webhook.id}`, { url: other.url }, 'PATCH')).body.url).toBe(byId(other));
  expect((await call(`/webhooks/${webhook.id}`, { target_url: byId(one) }, 'PATCH')).body.url).toBe(
    byId(one),
  );

  await make('/links', { url: 'https://example.com/' });
  await vi.waitFor(async () => {
    expect(await received(one)).toMatchObject([
      { source: 'delivery', signature: 'valid', webhook_id: webhook.id },
    ]);
    expect(await received(other)).toMatchObject([{ source: 'delivery', webhook_id: null }]);
    expect((await received(log)).length).toBeGreaterThan(4);
    const { data } = (await call(`/webhooks/${webhook.id}/deliveries`)).body;
    expect(data).toMatchObject([{ status: 'succeeded' }]);
  }, PATIENCE);

  const tokens = [one, other, log].map(({ url }) => url.split('/').at(-1) as string);
  const place = {
    pool: app.database.pool,
    secrets: createSecretBox(TEST_SECRET),
    dataDir: app.config.DATA_DIR,
  };
  const found = await searchEverything(place, tokens);
  expect(found.map(({ where, word }) => [where, word])).toEqual(
    expect.arrayContaining(tokens.map((token) => ['inspectors.token_sealed, opened', token])),
  );
  expect(found).toHaveLength(tokens.length);
});

test('an ID is no address: not over the network, and not for another workspace', async () => {
  const inspector = await make('/inspectors', {});
  const direct = await fetch(`${app.base}/inspect/${inspector.id}`, { method: 'POST', body: '{}' });
  expect(direct).toHaveStatus(404);
  const stranger = await startWorkspace(app);
  const { body: webhook } = await app.call('/webhooks', {
    key: stranger.key,
    body: { url: byId(inspector), events: ['ping'] },
  });
  await app.call(`/webhooks/${webhook.id}/test`, { key: stranger.key, method: 'POST' });
  await vi.waitFor(async () => {
    const { body } = await app.call(`/webhooks/${webhook.id}/deliveries`, { key: stranger.key });
    expect(body.data).toMatchObject([{ last_error: 'status' }]);
  }, PATIENCE);
  expect(await received(inspector)).toEqual([]);
});

test("another workspace's inspector stays the address that was given", async () => {
  const stranger = await startWorkspace(app);
  const { body: theirs } = await app.call('/inspectors', { key: stranger.key, body: {} });
  const webhook = await make('/webhooks', { url: theirs.url, events: ['ping'] });
  expect(webhook.url).toBe(theirs.url);
  await call(`/webhooks/${webhook.id}/test`, undefined, 'POST');
  await vi.waitFor(async () => {
    const { body } = await app.call(`/inspectors/${theirs.id}/requests`, { key: stranger.key });
    expect(body.data).toMatchObject([{ source: 'delivery', webhook_id: null, signature: 'unchecked' }]);
  }, PATIENCE);
});
