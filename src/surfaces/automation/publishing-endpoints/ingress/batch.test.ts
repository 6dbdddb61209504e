import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type IngressWorld,
  SIGN,
  startIngress,
} from '../../../../../test/support/automation/publishing-endpoints/ingress.ts';
import { outcome } from '../../../../../test/support/workspaces.ts';
import { MAX_BATCH, MAX_BODY, readBodies } from './payload.ts';

let world: IngressWorld;
beforeAll(async () => {
  world = await startIngress();
});
afterAll(() => world.app.stop());

const LINES = { 'content-type': 'application/x-ndjson' };
const EVENTS = { 'content-type': 'application/cloudevents-batch+json; charset=utf-8' };
const event = (id: string) => ({
  specversion: '1.0',
  id,
  source: '/orders',
  type: 'com.example.order',
  data: { id },
});
const endpoint = (more: object = {}) => world.endpoint({ type: 'secret_url' }, more);

/** The payloads of a batch's publications, in its order. */
const getPayloads = async (body: { data: { id: string }[] }) =>
  Promise.all(body.data.map(async ({ id }) => (await world.input(id)).payload));

test('each event of a batch of CloudEvents is a publication', async () => {
  const { id, url } = await endpoint();
  const events = [event('a'), event('b')];
  const { status, body } = await world.post(url, JSON.stringify(events), EVENTS);
  expect([status, body.object, body.has_more]).toEqual([202, 'list', false]);
  expect(body.data[0]).toMatchObject({ object: 'publication', status: 'received' });
  expect(await getPayloads(body)).toEqual(events);
  expect(await world.count(id)).toBe(2);
  expect((await world.post(url, '[]', EVENTS)).body.data).toEqual([]);
  expect(outcome(await world.post(url, '{}', EVENTS))).toEqual([400, 'invalid_json']);
  const one = await world.post(url, JSON.stringify(event('c')), {
    'content-type': 'application/cloudevents+json',
  });
  expect([one.status, one.body.object]).toEqual([202, 'publication']);
});

test('each line of newline-delimited JSON is a publication; empty lines are none', async () => {
  const { id, url } = await endpoint();
  const { status, body } = await world.post(url, '{"n": 1}\r\n\n  \n[2]\n"\\u0000"', LINES);
  expect(status).toBe(202);
  expect(await getPayloads(body)).toEqual([{ n: 1 }, [2], '\ufffd']);
  expect(body.data.map(({ size }: { size: number }) => size)).toEqual([9, 3, 8]);
  const faulty = await world.post(url, '{"n": 1}\n\n{"n": \n{"n": 3}', LINES);
  expect(outcome(faulty)).toEqual([400, 'invalid_json']);
  expect(faulty.body.detail).toMatch(/^Line 3: /);
  expect(await world.count(id)).toBe(3);
});

test('lines of other writers: a byte order mark, names twice, and what no payload may be', async () => {
  const { id, url } = await endpoint();
  const { body } = await world.post(url, '\ufeff{"a": 1, "a": 2}\n \t"\u2028"', LINES);
  expect(await getPayloads(body)).toEqual([{ a: 2 }, '\u2028']);
  for (const [second, detail] of [
    [`${'['.repeat(65)}${']'.repeat(65)}`, 'Line 2: The body is nested deeper than 64 levels.'],
    ['{"__proto__": {}}', 'Line 2: The body has a member named __proto__.'],
    ['\r{"a": 1}\r{"a": 2}', expect.stringMatching(/^Line 2: The body is not valid JSON/)],
  ]) {
    const refused = await world.post(url, `1\n${second as string}`, LINES);
    expect([...outcome(refused), refused.body.detail]).toEqual([400, 'invalid_json', detail]);
  }
  expect(await world.count(id)).toBe(2);
});

test('empty lines cost no more than values', async () => {
  const measure = async (unit: string, start = '', end = ''): Promise<number> => {
    const count = Math.floor((MAX_BODY - 10) / unit.length);
    const body = Buffer.from(`${start}${unit.repeat(count)}${end}`);
    let least = Infinity;
    for (let nth = 0; nth < 7; nth++) {
      const before = process.threadCpuUsage();
      await readBodies(LINES, body);
      const { user, system } = process.threadCpuUsage(before);
      least = Math.min(least, user + system);
    }
    return least;
  };
  const values = await measure('0,  ', '[', '0]');
  for (const unit of ['\n', ' \n', '\r\n'])
    expect([unit, (await measure(unit)) / values < 2]).toEqual([unit, true]);
});

test('a batch has a limit, which the error names', async () => {
  const { id, url } = await endpoint();
  const lines = (count: number) => Array.from({ length: count }, (_, nth) => String(nth)).join('\n');
  expect((await world.post(url, lines(MAX_BATCH), LINES)).body.data).toHaveLength(MAX_BATCH);
  const refused = await world.post(url, lines(MAX_BATCH + 1), LINES);
  expect(outcome(refused)).toEqual([413, 'payload_too_large']);
  expect(refused.body.detail).toContain(String(MAX_BATCH));
  expect(outcome(await world.post(url, `[${lines(MAX_BATCH + 1).replaceAll('\n', ',')}]`, EVENTS))).toEqual([
    413,
    'payload_too_large',
  ]);
  expect(await world.count(id)).toBe(MAX_BATCH);
});

test('if one event is rejected, none is published, and the error names it', async () => {
  const instance = await world.instance();
  const { id, url } = await endpoint({
    destinations: [{ instance_id: instance, to: 'alice', template: '{{ payload.text }}' }],
  });
  const { status, body } = await world.post(url, '{"text": "a"}\n{"text": ""}\n{"text": "c"}', LINES);
  expect([status, body.code]).toEqual([422, 'unprocessable']);
  expect(body.detail).toMatch(/^Event 2 of 3: /);
  const { data } = (await world.call(`/publications?endpoint_id=${id}`)).body;
  expect(data).toMatchObject([{ id: body.publication_id, status: 'rejected' }]);
});

test('equal events of one batch are one publication and its duplicate', async () => {
  const { url } = await endpoint({ dedupe_key: '{{ payload.id }}' });
  const { body } = await world.post(url, '{"id": "a"}\n{"id": "b"}\n{"id": "a"}', LINES);
  expect(body.data.map((one: { status: string }) => one.status)).toEqual([
    'received',
    'received',
    'duplicate',
  ]);
  expect(body.data[2].duplicate_of).toBe(body.data[0].id);
});

test('a signed batch that is repeated is a batch of duplicates', async () => {
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  const { url } = await world.endpoint({ type: 'signature', scheme: 'standard_webhooks', secret });
  const send = async (body: string) => {
    const answer = await world.post(url, body, { ...LINES, ...SIGN['standard_webhooks']!(secret, body) });
    return answer.body.data.map(({ status }: { status: string }) => status);
  };
  expect(await send('1\n2')).toEqual(['received', 'received']);
  expect(await send('1\n2')).toEqual(['duplicate', 'duplicate']);
});
