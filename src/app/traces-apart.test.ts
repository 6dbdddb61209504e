/** What traces keep apart, while everything is recorded. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type OtlpReceiver, startOtlpReceiver } from '../../test/support/otlp-receiver.ts';
import { PATIENCE } from '../../test/support/patience.ts';
import { startTestApp, startWorkspace, type TestApp } from '../../test/support/test-app.ts';
import { type Receiver, startReceiver } from '../../test/support/webhooks.ts';

const NOT_SAMPLED = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00' };

let collector: OtlpReceiver;
let webhook: Receiver;
let app: TestApp;
let key: string;

beforeAll(async () => {
  [collector, webhook] = await Promise.all([startOtlpReceiver(), startReceiver()]);
  app = await startTestApp({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, EGRESS_ALLOW: '127.0.0.1' });
  ({ key } = await startWorkspace(app));
});
afterAll(async () => {
  await app.stop();
  await Promise.all([collector.stop(), webhook.close()]);
});

test('clicks that are loaded together do not share a trace with their receivers', async () => {
  const events = ['link.clicked'];
  await app.call('/webhooks', { key, body: { url: webhook.url, events } });
  const made = await app.call('/links', {
    key,
    body: { url: 'https://example.com/private' },
    headers: NOT_SAMPLED,
  });
  expect(made.status).toBe(201);
  const short = new URL(made.body.short_url);
  expect((await fetch(`${app.base}${short.pathname}`, { redirect: 'manual' })).status).toBe(302);
  await vi.waitFor(() => expect(webhook.received).toHaveLength(1), PATIENCE);
  expect(webhook.received[0]!.headers).not.toHaveProperty('traceparent');
  await vi.waitFor(() => expect(collector.spans.map(({ name }) => name)).toContain('click.load'), PATIENCE);
  expect(collector.bodies.join()).not.toContain(short.pathname.slice(1));
  expect(collector.bodies.join()).not.toContain('example.com');
});

test('what a caller names as a model but is none is in no span', async () => {
  const body = { model: 'my secret question', messages: [{ role: 'user', content: 'Hello' }] };
  expect((await app.call('/chat/completions', { key, body })).status).toBe(404);
  const route = (spans: OtlpReceiver['spans']) => spans.map(({ name }) => name);
  await vi.waitFor(() => expect(route(collector.spans)).toContain('POST /api/v1/chat/completions'), PATIENCE);
  expect(collector.bodies.join()).not.toContain('secret question');
});
