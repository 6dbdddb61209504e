/** Without tracing, no statement looks for traces. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { PATIENCE } from '../../test/support/patience.ts';
import { startTestApp, startWorkspace, type TestApp } from '../../test/support/test-app.ts';
import { type Receiver, startReceiver } from '../../test/support/webhooks.ts';

let webhook: Receiver;
let app: TestApp;
let key: string;
beforeAll(async () => {
  webhook = await startReceiver();
  app = await startTestApp({ EGRESS_ALLOW: '127.0.0.1' });
  ({ key } = await startWorkspace(app));
});
afterAll(async () => {
  await app.stop();
  await webhook.close();
});

test('messages, publications and clicks go their way without the table of traces', async () => {
  await app.database.pool.query('drop table traced_resources');
  const headers = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' };
  const create = async (path: string, body: unknown) => {
    const made = await app.call(path, { key, body, headers });
    expect(made.status).toBeLessThan(300);
    return made.body;
  };
  const { id: instance } = await create('/instances', { name: 'Support', channel: 'sandbox' });
  await app.call(`/instances/${instance}/connect`, { key, method: 'POST' });
  await create('/webhooks', { url: webhook.url, events: ['message.delivered', 'link.clicked'] });
  const text = { body: 'See https://example.com' };
  const message = { instance_id: instance, to: 'alice', type: 'text', text, shorten_links: true };
  const sent = await create('/messages', message);
  const destinations = [{ instance_id: instance, to: 'erin', template: 'Hello' }];
  const auth = { type: 'bearer' };
  const endpoint = await create('/publishing-endpoints', { name: 'Blog', auth, destinations });
  await create(`/publish/${endpoint.id}`, { title: 'Post' });
  const [short] = /http\S+/.exec(sent.text.body)!;
  const clicked = await fetch(`${app.base}${new URL(short).pathname}`, { redirect: 'manual' });
  expect(clicked.status).toBe(302);
  const types = () => webhook.received.map(({ body }) => (JSON.parse(body) as { type: string }).type);
  await vi.waitFor(
    () => expect(types().toSorted()).toEqual(['link.clicked', 'message.delivered', 'message.delivered']),
    PATIENCE,
  );
});
