import { afterEach, expect, test, vi } from 'vitest';
import { cpuMs } from '../../../test/support/cpu.ts';
import { PATIENCE } from '../../../test/support/patience.ts';
import { type OtlpReceiver, startOtlpReceiver } from '../../../test/support/otlp-receiver.ts';
import { createFairGate } from '../limits/fair-gate.ts';
import { readConfig } from '../config/config.ts';
import { getTracingSettings } from './tracing-settings.ts';
import {
  currentTraceparent,
  isTracing,
  startSpan,
  startTrace,
  startTracing,
  traced,
  withSpan,
} from './tracing.ts';

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
});

const settings = (env: Record<string, string>) => getTracingSettings(readConfig(env), '1.0.0');

interface Logged {
  details: object;
  message: string;
}
const createLog = () => {
  const logged: Logged[] = [];
  const write = (details: object, message: string) => void logged.push({ details, message });
  return { logged, log: { info: write, error: write } as unknown as Parameters<typeof startTracing>[1] };
};

async function start(env: Record<string, string> = {}, respond?: Parameters<typeof startOtlpReceiver>[0]) {
  const receiver: OtlpReceiver = await startOtlpReceiver(respond);
  const given = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, ...env };
  const { logged, log } = createLog();
  const stop = await startTracing(settings(given), log);
  stops.push(() => receiver.stop(), stop);
  return { receiver, stop, logged };
}

const withId = (traceId: string, flags = '01') => `00-${traceId}-00000000000000aa-${flags}`;
const low = '0'.repeat(31) + '1';

test.each([
  [{}, null],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://h:4318/' }, 'http://h:4318/v1/traces'],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://h/base' }, 'http://h/base/v1/traces'],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://h/base/?key=1' }, 'http://h/base/v1/traces?key=1'],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://me:100%@h' }, 'http://h/v1/traces'],
  [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://h/exact' }, 'https://h/exact'],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://h', OTEL_SDK_DISABLED: 'TRUE' }, null],
])('%j exports to %s', (env, url) => {
  expect(settings(env)?.url ?? null).toBe(url);
});

test.each([
  [{ OTEL_EXPORTER_OTLP_HEADERS: 'Authorization' }, /OTEL_EXPORTER_OTLP_HEADERS must be name=value/],
  [{ OTEL_EXPORTER_OTLP_HEADERS: 'a b=s3cret' }, /^((?!s3cret).)*HTTP headers can have$/],
  [{ OTEL_EXPORTER_OTLP_HEADERS: 'a=s3cret%0A' }, /^((?!s3cret).)*HTTP headers can have$/],
  [{ OTEL_EXPORTER_OTLP_HEADERS: 'a=s3cret%' }, /^((?!s3cret).)*$/],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'me:s3cret@h' }, /^((?!s3cret).)*$/],
  [{ OTEL_TRACES_SAMPLER: 'jaeger_remote' }, /OTEL_TRACES_SAMPLER/],
  [{ OTEL_TRACES_SAMPLER_ARG: '1.5' }, /OTEL_TRACES_SAMPLER_ARG/],
])('%j is rejected without showing a secret', (env, message) => {
  expect(() => readConfig(env)).toThrow(message);
});

test('without an endpoint, nothing begins', async () => {
  stops.push(await startTracing(settings({}), createLog().log));
  expect(isTracing()).toBe(false);
  expect(startTrace('a', 'server', withId(low))).toBeNull();
  expect(startSpan('b', 'internal', {}, withId(low))).toBeNull();
});

test.each([
  ['parentbased_always_on', [true, false, true]],
  ['parentbased_always_off', [true, false, false]],
  ['always_on', [true, true, true]],
  ['always_off', [false, false, false]],
])('%s', async (sampler, expected) => {
  await start({ OTEL_TRACES_SAMPLER: sampler });
  const incoming = [withId(low), withId(low, '00'), null];
  expect(incoming.map((one) => startTrace('a', 'server', one) !== null)).toEqual(expected);
});

test('with traceidratio, a caller forces nothing by its flag or its trace ID', async () => {
  await start({ OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.25' });
  const sampled = Array.from({ length: 2_000 }, () => startTrace('a', 'server', withId(low))).filter(Boolean);
  // 15 standard deviations around 500.
  expect(sampled.length).toBeGreaterThan(200);
  expect(sampled.length).toBeLessThan(800);
});

test('spans are children of the current one, until it ends', async () => {
  const { receiver } = await start();
  const parent = startTrace('parent', 'server')!;
  await traced(parent, async () => {
    expect(currentTraceparent()).toBe(parent.traceparent);
    startSpan('child', 'client')!.end();
    withSpan(null, () => expect(currentTraceparent()).toBeNull());
  });
  const timer = withSpan(
    parent,
    () => new Promise((resolve) => setTimeout(() => resolve(currentTraceparent()))),
  );
  expect(await timer).toBeNull();
  await vi.waitFor(() => expect(receiver.spans).toHaveLength(2), PATIENCE);
  const [child, root] = receiver.spans;
  expect([root!.name, child!.name, child!.parentSpanId]).toEqual(['parent', 'child', root!.spanId]);
});

test('work that waits for its turn at a gate keeps its span', async () => {
  await start();
  const gate = createFairGate({ capacity: 1 });
  const spans = ['a', 'b'].map((name) => startTrace(name, 'server')!);
  const seen = spans.map((span) => withSpan(span, () => gate([], async () => currentTraceparent())));
  expect(await Promise.all(seen)).toEqual(spans.map(({ traceparent }) => traceparent));
});

test('a thrown error marks its span, without its message', async () => {
  const { receiver } = await start();
  const failing = traced(startTrace('a', 'internal'), () => Promise.reject(new RangeError('s3cret')));
  await expect(failing).rejects.toThrow('s3cret');
  await vi.waitFor(() => expect(receiver.spans).toHaveLength(1), PATIENCE);
  expect(receiver.spans[0]).toMatchObject({ isError: true, attributes: { 'error.type': 'RangeError' } });
  expect(receiver.bodies.join()).not.toContain('s3cret');
});

test('a request of which 1% are sampled costs microseconds', async () => {
  await start({ OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.01' });
  const requests = 50_000;
  const request = () => {
    const span = startTrace('GET /api/v1/me', 'server', withId(low));
    span?.set({ 'http.request.method': 'GET', 'http.route': '/api/v1/me' });
    withSpan(span, currentTraceparent);
    span?.end();
  };
  cpuMs(() => Array.from({ length: requests }, request));
  // GET /me takes 150 µs or more.
  expect(cpuMs(() => Array.from({ length: requests }, request)) / requests).toBeLessThan(0.0045);
});

test('a collector that hangs delays neither spans nor the stop', async () => {
  const requests: string[] = [];
  const { stop } = await start(
    { OTEL_EXPORTER_OTLP_TIMEOUT: '600000' },
    (request) => void requests.push(request.url!),
  );
  for (let n = 0; n < 10_000; n++) startTrace('a', 'internal')!.end();
  await vi.waitFor(() => expect(requests.length).toBeGreaterThan(0), PATIENCE);
  await stop();
  expect(isTracing()).toBe(false);
});

test('a collector that rejects is logged once, without addresses and headers', async () => {
  const { logged } = await start(
    { OTEL_EXPORTER_OTLP_HEADERS: 'Authorization=s3cret' },
    (_request, response) => void response.writeHead(401).end('s3cret'),
  );
  startTrace('a', 'internal')!.end();
  await vi.waitFor(() => expect(logged).toHaveLength(1), PATIENCE);
  startTrace('b', 'internal')!.end();
  expect(logged[0]!.message).toBe('tracing: could not export spans, dropping them');
  expect(JSON.stringify(logged[0])).not.toMatch(/s3cret|127\.0\.0\.1/);
});

test('a collector whose response never ends is logged', async () => {
  const { logged } = await start({ OTEL_EXPORTER_OTLP_TIMEOUT: '200' }, (_request, response) => {
    const dripping = setInterval(() => response.write('x'), 20);
    response.on('close', () => clearInterval(dripping));
  });
  startTrace('a', 'internal')!.end();
  await vi.waitFor(() => expect(logged).toHaveLength(1), PATIENCE);
  expect(logged[0]).toMatchObject({ details: { err: { type: 'Timeout' } } });
});
