import { request as httpRequest } from 'node:http';
import Fastify from 'fastify';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { PATIENCE } from '../../../test/support/patience.ts';
import { type OtlpReceiver, startOtlpReceiver } from '../../../test/support/otlp-receiver.ts';
import { currentTraceparent, startTrace, withSpan } from '../tracing/tracing.ts';
import { addServerSpans } from './server-spans.ts';
import { startTestApp, type TestApp } from '../../../test/support/test-app.ts';

let receiver: OtlpReceiver;
let app: TestApp;
beforeAll(async () => {
  receiver = await startOtlpReceiver();
  app = await startTestApp({
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url.replace('http://', 'http://me:p%40ss@'),
    OTEL_EXPORTER_OTLP_HEADERS: 'X-Scope=one%2Ctwo',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test,service.name=other',
    OTEL_SERVICE_NAME: 'front',
  });
});
afterAll(async () => {
  await app.stop();
  await receiver.stop();
});

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const ofTrace = (id: string) => receiver.spans.filter(({ traceId }) => traceId === id);

test('a request is a span of the trace of its caller', async () => {
  const person = await app.signUp();
  const traceparent = `00-${TRACE}-b7ad6b7169203331-01`;
  await person.call('/me?q=typed');
  const { status } = await person.call('/me', { headers: { traceparent } });
  expect(status).toBe(200);
  await vi.waitFor(() => expect(ofTrace(TRACE)).toHaveLength(1), PATIENCE);
  expect(ofTrace(TRACE)[0]).toMatchObject({
    name: 'GET /api/v1/me',
    kind: 2,
    parentSpanId: 'b7ad6b7169203331',
    isError: false,
    attributes: {
      'http.request.method': 'GET',
      'http.route': '/api/v1/me',
      'http.response.status_code': 200,
    },
  });
  expect(receiver.path).toBe('/v1/traces');
  expect(receiver.headers).toMatchObject({
    authorization: `Basic ${Buffer.from('me:p@ss').toString('base64')}`,
    'x-scope': 'one,two',
  });
  expect(receiver.resource).toMatchObject({
    'service.name': 'front',
    'deployment.environment.name': 'test',
  });
  expect(receiver.bodies.join()).not.toMatch(/typed|@/);
  expect(app.logged.join()).not.toMatch(/p%40ss|p@ss|one,two/);
});

test.each([
  ['not sampled', `00-${TRACE.replace('0a', '0b')}-b7ad6b7169203331-00`],
  ['malformed', `00-${TRACE.replace('0a', '0c')}-b7ad6b7169203331`],
])('a caller whose trace is %s adds nothing to it', async (_what, traceparent) => {
  await app.call('/api/v1/me', { headers: { traceparent } });
  const marker = TRACE.replace('0a', `f${traceparent.length % 10}`);
  await app.call('/api/v1/me', { headers: { traceparent: `00-${marker}-b7ad6b7169203331-01` } });
  await vi.waitFor(() => expect(ofTrace(marker)).toHaveLength(1), PATIENCE);
  expect(ofTrace(traceparent.slice(3, 35))).toEqual([]);
});

test('health checks have no spans', async () => {
  const marker = TRACE.replace('0a', 'fe');
  expect((await fetch(`${app.base}/healthz`)).status).toBe(200);
  await app.call('/nothing-here', { headers: { traceparent: `00-${marker}-b7ad6b7169203331-01` } });
  await vi.waitFor(() => expect(ofTrace(marker)).toHaveLength(1), PATIENCE);
  expect(receiver.spans.filter(({ name }) => /health/.test(name))).toEqual([]);
});

test('the span of a request whose caller leaves ends', async () => {
  const { cookie } = await app.signUp();
  const marker = TRACE.replace('0a', 'fd');
  const arrived = new Promise((resolve) => app.app.server.server.once('request', resolve));
  const request = httpRequest(`${app.base}/api/v1/workspaces`, {
    method: 'POST',
    headers: {
      cookie,
      origin: app.base,
      'content-type': 'application/json',
      'content-length': 100,
      traceparent: `00-${marker}-b7ad6b7169203331-01`,
    },
  });
  request.on('error', () => {});
  request.write('{');
  await arrived;
  request.destroy();
  await vi.waitFor(() => expect(ofTrace(marker)).toHaveLength(1), PATIENCE);
  expect(ofTrace(marker)[0]).toMatchObject({ isError: true, attributes: { 'error.type': 'canceled' } });
});

test('a request that is not sampled does not run in the context of another one', async () => {
  const server = Fastify();
  addServerSpans(server);
  server.get('/', () => ({ of: currentTraceparent() }));
  const ask = (flags: string) =>
    server.inject({ url: '/', headers: { traceparent: `00-${TRACE}-b7ad6b7169203331-${flags}` } });
  const other = startTrace('other', 'server')!;
  const [sampled, not] = await withSpan(other, () => Promise.all([ask('01'), ask('00')]));
  other.end();
  expect(sampled.json().of).toContain(TRACE);
  expect(not.json()).toEqual({ of: null });
});
