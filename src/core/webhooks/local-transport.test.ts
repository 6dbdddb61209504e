import { createSecretKey, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createSecretBox } from '../../platform/crypto/secret-box.ts';
import { newUuid } from '../../platform/http/ids.ts';
import { publicId, toUuid } from '../vocabulary/ids.ts';
import { withStillClock } from '../../../test/support/still-clock.ts';
import { startTestApp, startWorkspace, type TestApp } from '../../../test/support/test-app.ts';
import { getSignature } from '../../platform/crypto/webhook-signature.ts';
import { createLocalTransport, type LocalDelivery, type LocalTransport } from './local-transport.ts';
import { withInspectors } from './delivery-transport.ts';
import { createInspectorReceiver } from './inspector-receiver.ts';

let app: TestApp;
let home: Awaited<ReturnType<typeof startWorkspace>>;
let transport: LocalTransport;
let id: string;
let url: string;
const faults: object[] = [];

beforeAll(async () => {
  app = await startTestApp();
  home = await startWorkspace(app);
  transport = createLocalTransport({
    baseUrl: app.config.baseUrl,
    // The app's own secret, so that both can open each other's values.
    receiver: createInspectorReceiver({
      db: app.database.db,
      secrets: createSecretBox('a secret for tests, 32 characters long'),
      getPerson: async (workspaceId) => workspaceId,
    }),
    log: { error: (details) => void faults.push(details) },
  });
});
afterAll(() => app.stop());
beforeEach(async () => {
  const { body } = await app.call('/inspectors', { key: home.key, body: {} });
  ({ id, url } = body);
});

const key = createSecretKey(randomBytes(24));
const webhookId = newUuid();
const body = '{"type":"api_key.created","data":{"ü":1}}';
const now = 1614265330;

function localDelivery(changes: Partial<LocalDelivery> = {}, keys = [key], signed = body): LocalDelivery {
  return {
    url,
    headers: {
      'content-type': 'application/json',
      'webhook-id': 'evt_1',
      'webhook-timestamp': String(now),
      'webhook-signature': getSignature([key], 'evt_1', now, signed),
    },
    body,
    signal: AbortSignal.timeout(15_000),
    deliveryContext: {
      workspaceId: toUuid('workspace', home.workspace)!,
      webhookId,
      eventType: 'api_key.created',
      keys,
    },
    ...changes,
  };
}

async function newest(inspector = id, secret = home.key) {
  const { body: list } = await app.call(`/inspectors/${inspector}/requests?limit=1`, { key: secret });
  return (await app.call(`/inspectors/${inspector}/requests/${list.data[0].id}`, { key: secret })).body;
}

describe('which addresses it takes', () => {
  test("an inspector's, letter by letter, and no other", () => {
    expect(transport.accepts(url)).toBe(true);
    const { host } = new URL(url);
    for (const other of [
      `${url}/`,
      `${url}/more`,
      `${url}?a=1`,
      `${url}?`,
      `${url}#a`,
      ` ${url}`,
      `${url}\n`,
      url.slice(0, -1),
      `${url}A`,
      url.toUpperCase(),
      url.replace('http:', 'https:'),
      url.replace(host, `user@${host}`),
      url.replace(host, `${host}.elsewhere.example`),
      url.replace(host, `elsewhere.example`),
      url.replace('localhost', 'LOCALHOST'),
      url.replace('localhost', '127.0.0.1'),
      url.replace('/inspect/', '//inspect/'),
      url.replace('/inspect/', '/inspect/../inspect/'),
      url.replace('/inspect/', '/user/api/'),
      `https://elsewhere.example/?${url}`,
      '',
    ])
      expect([other, transport.accepts(other)]).toEqual([other, false]);
  });

  test('what it does not take it does not deliver', async () => {
    for (const wrong of [`${url}/more`, `${url.slice(0, -43)}${'A'.repeat(43)}`])
      expect(await transport.deliver(localDelivery({ url: wrong }))).toHaveStatus(404);
    expect((await app.call(`/inspectors/${id}`, { key: home.key })).body.requests_received).toBe(0);
  });
});

describe('a delivery', () => {
  test('arrives as over the network, with its webhook and a checked signature', async () => {
    const answer = await transport.deliver(localDelivery());
    expect([answer.status, answer.body.toString()]).toEqual([200, '']);
    expect(await newest()).toMatchObject({
      source: 'delivery',
      method: 'POST',
      path: '',
      query: null,
      remote_address: null,
      webhook_id: publicId('webhook', webhookId),
      event_type: 'api_key.created',
      signature: 'valid',
      body,
      headers: expect.arrayContaining([{ name: 'webhook-id', value: 'evt_1' }]),
    });
  });

  test('is valid by any of its keys, and of any length; else invalid', async () => {
    await transport.deliver(localDelivery({}, [createSecretKey(randomBytes(24)), key]));
    expect((await newest()).signature).toBe('valid');
    await transport.deliver(localDelivery({}, [createSecretKey(randomBytes(24))]));
    expect((await newest()).signature).toBe('invalid');
    await transport.deliver(localDelivery({ body: `${body} ` }));
    expect((await newest()).signature).toBe('invalid');
    await transport.deliver(localDelivery({ headers: { 'content-type': 'application/json' } }));
    expect((await newest()).signature).toBe('absent');
    const large = 'ü'.repeat(200_000);
    await transport.deliver(localDelivery({ body: large }, [key], large));
    expect(await newest()).toMatchObject({ signature: 'valid', truncated: true, size: 400_000 });
  });

  test("of another workspace's webhook tells nothing of that webhook", async () => {
    const other = await startWorkspace(app);
    const { body: theirs } = await app.call('/inspectors', { key: other.key, body: {} });
    await transport.deliver(localDelivery({ url: theirs.url }));
    expect(await newest(theirs.id, other.key)).toMatchObject({
      source: 'delivery',
      webhook_id: null,
      event_type: null,
      signature: 'unchecked',
    });
  });

  test('gets the answer that was set, its wait included', async () => {
    const answer = { status: 429, headers: { 'retry-after': '30' }, body: 'later', delay_ms: 300 };
    await app.call(`/inspectors/${id}`, { key: home.key, method: 'PATCH', body: { answer } });
    const began = performance.now();
    const got = await transport.deliver(localDelivery());
    expect(performance.now() - began).toBeGreaterThan(290);
    expect(got).toMatchObject({ status: 429, headers: { 'retry-after': '30' }, body: Buffer.from('later') });
  });

  test('ends with its time limit, though it has arrived', async () => {
    await app.call(`/inspectors/${id}`, {
      key: home.key,
      method: 'PATCH',
      body: { answer: { delay_ms: 20_000 } },
    });
    const late = transport.deliver(localDelivery({ signal: AbortSignal.timeout(200) }));
    await expect(late).rejects.toMatchObject({ name: 'TimeoutError' });
    expect((await newest()).answered).toEqual({ status: 200, delay_ms: 20_000 });
  });

  test('is never rate limited', async () => {
    await app.call(`/inspectors/${id}`, {
      key: home.key,
      method: 'PATCH',
      body: { answer: { delay_ms: 1_000 } },
    });
    // More requests than an inspector accepts from the network concurrently and in a burst.
    const answers = await withStillClock(() =>
      Promise.all(Array.from({ length: 350 }, () => transport.deliver(localDelivery()))),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect((await app.call(`/inspectors/${id}`, { key: home.key })).body.requests_received).toBe(350);
    expect(faults).toEqual([]);
  });
});

describe('an exchange', () => {
  const answered = {
    status: 200,
    headers: {},
    body: Buffer.alloc(0),
    truncated: false,
    remoteAddress: '192.0.2.1',
  };
  const request = (changes: Partial<LocalDelivery>) => ({ ...localDelivery(changes), body });

  test('goes by the door to inspectors, else outside', async () => {
    const outside: string[] = [];
    const exchange = withInspectors(transport, async (given) => {
      outside.push(given.url);
      return answered;
    });
    await app.call(`/inspectors/${id}`, { key: home.key, method: 'PATCH', body: { answer: { body: 'b' } } });
    expect(await exchange(request({}))).toMatchObject({
      status: 200,
      body: Buffer.from('b'),
      truncated: false,
      remoteAddress: null,
    });
    expect(await exchange(request({ url: `${url}/more` }))).toBe(answered);
    expect(outside).toEqual([`${url}/more`]);
  });

  test('tells a late answer as a time-out, and an abort as such', async () => {
    const exchange = withInspectors(transport, async () => answered, 200);
    await app.call(`/inspectors/${id}`, {
      key: home.key,
      method: 'PATCH',
      body: { answer: { delay_ms: 20_000 } },
    });
    const timeout = { code: 'timeout', detail: 'The receiver did not answer within 0.2 s.' };
    await expect(exchange(request({}))).rejects.toMatchObject(timeout);
    const stopping = AbortSignal.abort(new Error('the server stops'));
    await expect(exchange(request({ signal: stopping }))).rejects.toThrow('the server stops');
  });
});
