/** One trace shows a message from the request to the click, across all queues. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type OtlpReceiver, type ReceivedSpan, startOtlpReceiver } from '../../test/support/otlp-receiver.ts';
import { PATIENCE } from '../../test/support/patience.ts';
import { startTestApp, startWorkspace, type TestApp } from '../../test/support/test-app.ts';
import { type Receiver, startReceiver } from '../../test/support/webhooks.ts';

let collector: OtlpReceiver;
let webhook: Receiver;
let app: TestApp;
let key: string;
let instance: string;

const call = (path: string, body?: unknown, headers?: Record<string, string>) =>
  app.call(path, { key, body, headers });
/** @throws Error if it is not created */
async function create(path: string, body: unknown): Promise<string> {
  const made = await call(path, body);
  if (made.status >= 300) throw new Error(JSON.stringify(made.body));
  return made.body.id as string;
}

beforeAll(async () => {
  [collector, webhook] = await Promise.all([startOtlpReceiver(), startReceiver()]);
  app = await startTestApp({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    // Only the traces below.
    OTEL_TRACES_SAMPLER: 'parentbased_always_off',
    EGRESS_ALLOW: '127.0.0.1',
  });
  ({ key } = await startWorkspace(app));
  instance = await create('/instances', { name: 'Support', channel: 'sandbox' });
  await app.call(`/instances/${instance}/connect`, { key, method: 'POST' });
  const state = async () => (await call(`/instances/${instance}`)).body.state;
  await vi.waitFor(async () => {
    if ((await state()) !== 'connected') throw new Error('the instance is not connected');
  }, PATIENCE);
  const events = ['message.delivered', 'link.clicked'];
  await create('/webhooks', { url: webhook.url, events });
});
afterAll(async () => {
  await app.stop();
  await Promise.all([collector.stop(), webhook.close()]);
});

let traces = 0;
const newTrace = () => {
  const traceId = (0xa0_00 + traces++).toString(16).padStart(32, '0');
  return { traceId, headers: { traceparent: `00-${traceId}-00000000000000aa-01` } };
};
const inTrace = (traceId: string): ReceivedSpan[] =>
  collector.spans.filter((span) => span.traceId === traceId);
/** Names from a span up to the caller. */
function toPath(spans: ReceivedSpan[], span: ReceivedSpan): string[] {
  const parent = spans.find(({ spanId }) => spanId === span.parentSpanId);
  return [span.name, ...(parent ? toPath(spans, parent) : [span.parentSpanId ?? 'root'])];
}
const paths = (traceId: string): string[] => {
  const spans = inTrace(traceId);
  return spans.map((span) => {
    const type = span.attributes['fairlead.event.type'];
    return [type, ...toPath(spans, span)].filter(Boolean).join(' < ');
  });
};
const sentWith = (traceId: string) =>
  webhook.received.flatMap(({ headers, body }) =>
    String(headers['traceparent']).includes(traceId) ? [(JSON.parse(body) as { type: string }).type] : [],
  );

test('a message is one trace from its request over its delivery to the click', async () => {
  const { traceId, headers } = newTrace();
  const text = { body: 'Secret plan: https://example.com/offer' };
  const message = { instance_id: instance, to: 'alice', type: 'text', text, shorten_links: true };
  const { status, body } = await call('/messages', message, headers);
  expect(status).toBe(202);
  await vi.waitFor(() => expect(sentWith(traceId)).toContain('message.delivered'), PATIENCE);
  const [short] = /http\S+/.exec(body.text.body)!;
  expect((await fetch(short.replace(/^http:\/\/[^/]+/, app.base), { redirect: 'manual' })).status).toBe(302);
  await vi.waitFor(() => expect(sentWith(traceId)).toContain('link.clicked'), PATIENCE);
  const request = 'POST /api/v1/messages < 00000000000000aa';
  await vi.waitFor(
    () =>
      expect(paths(traceId)).toEqual(
        expect.arrayContaining([
          request,
          `message.send < ${request}`,
          `message.delivered < webhook.deliver < message.send < ${request}`,
          `link.click < ${request}`,
          `link.clicked < webhook.deliver < link.click < ${request}`,
        ]),
      ),
    PATIENCE,
  );
  const spans = inTrace(traceId);
  const send = spans.find(({ name }) => name === 'message.send')!;
  expect(send.attributes).toMatchObject({
    'fairlead.message.id': body.id,
    'fairlead.channel': 'sandbox',
    'fairlead.outcome': 'sent',
  });
  const delivery = spans.find(({ attributes }) => attributes['fairlead.event.type'] === 'message.delivered')!;
  const delivered = webhook.received.find((one) => one.body.includes('message.delivered'))!;
  expect(delivered.headers['traceparent']).toBe(`00-${traceId}-${delivery.spanId}-01`);
  expect(collector.bodies.join()).not.toMatch(/Secret|example\.com|alice/);
  expect(collector.bodies.join()).not.toContain(key);
});

test('requests that share a transaction keep their traces', async () => {
  const sent = Array.from({ length: 20 }, newTrace);
  const body = { instance_id: instance, to: 'bob', type: 'text', text: { body: 'Hello' } };
  const answers = await Promise.all(
    sent.map(({ headers }, nth) => call('/messages', { ...body, to: `bob${nth}` }, headers)),
  );
  for (const [nth, { traceId }] of sent.entries())
    await vi.waitFor(() => {
      const sends = inTrace(traceId).filter(({ name }) => name === 'message.send');
      expect(sends.map(({ attributes }) => attributes['fairlead.message.id'])).toEqual([
        answers[nth]!.body.id,
      ]);
    }, PATIENCE);
});

test('a rule continues the trace of its event, with the model it asks and the message it sends', async () => {
  await create('/rules', {
    name: 'Answer',
    events: ['contact.created'],
    filter: 'event.data.object.name contains "Private"',
    actions: [
      { type: 'ask_model', name: 'ask', model: 'fairlead/echo', prompt: 'Private question' },
      {
        type: 'send_message',
        name: 'say',
        instance_id: instance,
        to: 'carol',
        template: '{{ steps.ask.text }}',
      },
    ],
  });
  const { traceId, headers } = newTrace();
  const { status } = await call('/contacts', { name: 'Private Person' }, headers);
  expect(status).toBe(201);
  const run = 'rule.run < POST /api/v1/contacts < 00000000000000aa';
  await vi.waitFor(
    () =>
      expect(paths(traceId)).toEqual(
        expect.arrayContaining([
          `contact.created < ${run}`,
          `chat fairlead/echo < ${run}`,
          `message.send < ${run}`,
          `message.delivered < webhook.deliver < message.send < ${run}`,
        ]),
      ),
    PATIENCE,
  );
  const ask = inTrace(traceId).find(({ name }) => name.startsWith('chat'))!;
  expect(ask.attributes).toMatchObject({
    'gen_ai.operation.name': 'chat',
    'gen_ai.request.model': 'fairlead/echo',
    'gen_ai.response.model': 'echo',
    'gen_ai.system': 'fairlead',
    'gen_ai.usage.output_tokens': expect.any(Number),
  });
  expect(collector.bodies.join()).not.toMatch(/Private/);
});

test('a publication continues the trace of its request when it is published', async () => {
  const destinations = [{ instance_id: instance, to: 'erin', template: 'Hello' }];
  const endpoint = await create('/publishing-endpoints', {
    name: 'Blog',
    auth: { type: 'bearer' },
    destinations,
  });
  const { traceId, headers } = newTrace();
  const { status } = await call(`/publish/${endpoint}`, { title: 'Private post' }, headers);
  expect(status).toBe(202);
  const request = 'POST /api/v1/publish/:id < 00000000000000aa';
  const expected = [request, `message.send < ${request}`];
  await vi.waitFor(() => expect(paths(traceId)).toEqual(expect.arrayContaining(expected)), PATIENCE);
});

test('without a sampled trace, nothing is stored and no header is sent', async () => {
  const body = { instance_id: instance, to: 'dave', type: 'text', text: { body: 'Hello' } };
  const { body: message } = await call('/messages', body);
  const ofMessage = () => webhook.received.find((one) => one.body.includes(message.id));
  await vi.waitFor(() => expect(ofMessage()).toBeDefined(), PATIENCE);
  expect(ofMessage()!.headers).not.toHaveProperty('traceparent');
  const { rows } = await app.database.pool.query(
    `select traceparent from events where resource_id = $1
     union all select traceparent from traced_resources where resource_id = $1`,
    [message.id],
  );
  expect(rows.length).toBeGreaterThan(1);
  expect(rows.every(({ traceparent }) => traceparent === null)).toBe(true);
});
