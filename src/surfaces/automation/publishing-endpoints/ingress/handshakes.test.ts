import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { outcome, getToken } from '../../../../../test/support/workspaces.ts';
import { withStillClock } from '../../../../../test/support/still-clock.ts';
import {
  type IngressWorld,
  SIGN,
  startIngress,
} from '../../../../../test/support/automation/publishing-endpoints/ingress.ts';
import { HANDSHAKES } from './handshakes.ts';

let world: IngressWorld;
beforeAll(async () => {
  world = await startIngress({ WORKSPACE_LIMITS: 'publishing_endpoints=400', TRUST_PROXY: '127.0.0.1' });
});
afterAll(() => world.app.stop());

const SECRET = 'a secret of the platform';
const JSON_TYPE = { 'content-type': 'application/json' };
const FORM_TYPE = { 'content-type': 'application/x-www-form-urlencoded' };
const TEXT = 'text/plain; charset=utf-8';

const hmac = (text: string, encoding: 'hex' | 'base64' = 'hex'): string =>
  createHmac('sha256', SECRET).update(text).digest(encoding);

/** How an endpoint is set up for each platform that signs in its own way. */
const AUTH: Record<string, object> = {
  secret_url: { type: 'secret_url' },
  github: { type: 'signature', scheme: 'github', secret: SECRET },
  slack: { type: 'signature', scheme: 'slack', secret: SECRET.replaceAll(' ', '-') },
  dropbox: { type: 'signature', scheme: 'hmac', secret: SECRET, hmac: { header: 'X-Dropbox-Signature' } },
  woocommerce: {
    type: 'signature',
    scheme: 'hmac',
    secret: SECRET,
    hmac: { header: 'X-WC-Webhook-Signature', encoding: 'base64' },
  },
  x: {
    type: 'signature',
    scheme: 'hmac',
    secret: SECRET,
    hmac: { header: 'x-twitter-webhooks-signature', encoding: 'base64', prefix: 'sha256=' },
  },
  zoom: {
    type: 'signature',
    scheme: 'hmac',
    secret: SECRET,
    hmac: {
      header: 'x-zm-signature',
      prefix: 'v0=',
      signed: 'v0:timestamp:body',
      timestamp_header: 'x-zm-request-timestamp',
    },
  },
};

interface Sent {
  method: string;
  query?: string;
  headers?: Record<string, string>;
  body?: string;
}

/** Sends a request whose query may contain `{token}`. */
async function send(url: string, { method, query = '', headers = {}, body }: Sent) {
  const target = `${url}${query.replace('{token}', getToken(url))}`;
  const response = await fetch(target, { method, headers, ...(body === undefined ? {} : { body }) });
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    sniffing: response.headers.get('x-content-type-options'),
    text: await response.text(),
  };
}

function signZoom(body: string): Record<string, string> {
  const time = String(Math.floor(Date.now() / 1000));
  return {
    ...JSON_TYPE,
    'x-zm-request-timestamp': time,
    'x-zm-signature': `v0=${hmac(`v0:${time}:${body}`)}`,
  };
}

const EVENT_GRID = JSON.stringify([
  {
    id: '2d1781af-3a4c-4d7c-bd0c-e34b19da4e66',
    topic: '/subscriptions/xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx',
    subject: '',
    data: {
      validationCode: '512d38b6-c7b8-40c8-89fe-f46f9e9622b6',
      validationUrl: 'https://rp-eastus2.eventgrid.azure.net/eventsubscriptions/x/validate?id=512d38b6',
    },
    eventType: 'Microsoft.EventGrid.SubscriptionValidationEvent',
    eventTime: '2022-10-28T04:23:35.1981776Z',
    metadataVersion: '1',
    dataVersion: '1',
  },
]);
const ZOOM = '{"event": "endpoint.url_validation", "payload": {"plainToken": "qgg8vlvZRS6UYooatFL8Aw"}}';
const SLACK = '{"type": "url_verification", "token": "x", "challenge": "3eZbrw1aB"}';
const GRAPH = '?validationToken=Validation%3A+Testing+client+application+reachability+Request-Id%3A+8bb5';
const GRAPH_TEXT = 'Validation: Testing client application reachability Request-Id: 8bb5';
const META = '?hub.mode=subscribe&hub.verify_token={token}&hub.challenge=1158201444';
const JSON_UTF8 = 'application/json; charset=utf-8';

/** Platform, kinds of endpoint, request, content type and text of the response. */
const ROWS: [string, string[], () => Sent, string, string][] = [
  [
    'Azure Event Grid',
    ['secret_url'],
    () => ({
      method: 'POST',
      headers: { ...JSON_TYPE, 'aeg-event-type': 'SubscriptionValidation' },
      body: EVENT_GRID,
    }),
    JSON_UTF8,
    '{"validationResponse":"512d38b6-c7b8-40c8-89fe-f46f9e9622b6"}',
  ],
  [
    'CloudEvents',
    ['secret_url', 'github'],
    () => ({ method: 'OPTIONS', headers: { 'webhook-request-origin': 'eventgrid.azure.net' } }),
    TEXT,
    '',
  ],
  ['Dropbox', ['secret_url', 'dropbox'], () => ({ method: 'GET', query: '?challenge=a-B_9' }), TEXT, 'a-B_9'],
  [
    'Meta',
    ['secret_url', 'github', 'slack', 'zoom'],
    () => ({ method: 'GET', query: META }),
    TEXT,
    '1158201444',
  ],
  ['Microsoft Graph', ['secret_url'], () => ({ method: 'GET', query: GRAPH }), TEXT, GRAPH_TEXT],
  [
    'Microsoft Graph',
    ['secret_url'],
    () => ({ method: 'POST', query: GRAPH, headers: { 'content-type': TEXT }, body: '' }),
    TEXT,
    GRAPH_TEXT,
  ],
  [
    'Slack',
    ['slack'],
    () => ({
      method: 'POST',
      headers: { ...JSON_TYPE, ...SIGN['slack']!(SECRET.replaceAll(' ', '-'), SLACK) },
      body: SLACK,
    }),
    JSON_UTF8,
    '{"challenge":"3eZbrw1aB"}',
  ],
  ['Trello', ['secret_url', 'github', 'woocommerce'], () => ({ method: 'HEAD' }), TEXT, ''],
  [
    'WooCommerce',
    ['secret_url', 'woocommerce'],
    () => ({ method: 'POST', headers: FORM_TYPE, body: 'webhook_id=12' }),
    TEXT,
    '',
  ],
  [
    'X',
    ['x'],
    () => ({ method: 'GET', query: '?crc_token=9b4507b3-9040' }),
    JSON_UTF8,
    JSON.stringify({ response_token: `sha256=${hmac('9b4507b3-9040', 'base64')}` }),
  ],
  [
    'Zoom',
    ['zoom'],
    () => ({ method: 'POST', headers: signZoom(ZOOM), body: ZOOM }),
    JSON_UTF8,
    JSON.stringify({
      plainToken: 'qgg8vlvZRS6UYooatFL8Aw',
      encryptedToken: hmac('qgg8vlvZRS6UYooatFL8Aw'),
    }),
  ],
];

test('every platform of the table is tested', () => {
  expect(new Set(ROWS.map(([platform]) => platform))).toEqual(
    new Set(HANDSHAKES.map(({ platform }) => platform)),
  );
});

describe.each(ROWS)('%s', (_platform, kinds, make, type, text) => {
  test.each(kinds)(
    'gets its answer from an endpoint of the kind %s, and nothing is published',
    async (kind) => {
      const { id, url } = await world.endpoint(AUTH[kind]!);
      expect(await send(url, make())).toEqual({ status: 200, type, sniffing: 'nosniff', text });
      expect(await world.count(id)).toBe(0);
      expect((await world.call(`/publishing-endpoints/${id}/samples`)).body.data).toEqual([]);
    },
  );

  test('gets 404 where there is no endpoint, or none that is enabled', async () => {
    const disabled = await world.endpoint(AUTH[kinds.at(-1)!]!, { enabled: false });
    const bearer = await world.endpoint({ type: 'bearer' });
    const texts = new Set<string>();
    for (const url of [
      disabled.url,
      `${world.app.base}/in/${bearer.id}`,
      `${world.app.base}/in/${'A'.repeat(43)}`,
    ]) {
      const answer = await send(url, make());
      expect(answer).toHaveStatus(404);
      texts.add(answer.text.replace(/"(instance|request_id)":"[^"]*"/g, ''));
    }
    expect(texts.size).toBe(1);
  });
});

const HOSTILE: [string, string][] = [
  ['too long', 'a'.repeat(1_001)],
  ['HTML', encodeURIComponent('<script>alert(1)</script>')],
  ['an attribute', encodeURIComponent('" onload="x')],
  ['a line break', 'a%0D%0ASet-Cookie:%20a=b'],
  ['not ASCII', encodeURIComponent('é')],
  ['NUL', 'a%00'],
  ['empty', ''],
];

describe('a challenge that is not answered', () => {
  const REFLECTED: [string, string, Sent][] = [
    ['secret_url', 'challenge', { method: 'GET', query: '?challenge=' }],
    ['secret_url', 'validationToken', { method: 'POST', query: '?validationToken=', body: '' }],
    ['x', 'crc_token', { method: 'GET', query: '?crc_token=' }],
    [
      'github',
      'hub.challenge',
      { method: 'GET', query: '?hub.mode=subscribe&hub.verify_token={token}&hub.challenge=' },
    ],
  ];
  test.each(REFLECTED)('of %s, %s: hostile text', async (kind, name, sent) => {
    const { id, url } = await world.endpoint(AUTH[kind]!);
    const queries = HOSTILE.map(([, value]) => sent.query + value);
    for (const query of [...queries, `${sent.query}a&${name}=b`]) {
      const { status, type, text } = await send(url, { ...sent, query });
      expect([query, status, type]).toEqual([query, 400, 'application/problem+json']);
      expect(text).not.toMatch(/<script|onload|aaaa/);
    }
    expect(await world.count(id)).toBe(0);
  });

  test('of Meta: with another verify token, without one, with another mode', async () => {
    const { url } = await world.endpoint(AUTH['secret_url']!);
    for (const query of [
      '?hub.mode=subscribe&hub.verify_token=guessed&hub.challenge=1',
      '?hub.mode=subscribe&hub.challenge=1',
      '?hub.mode=unsubscribe&hub.verify_token={token}&hub.challenge=1',
      '?hub.mode=subscribe&hub.verify_token={token}&hub.verify_token=x&hub.challenge=1',
    ])
      expect(await send(url, { method: 'GET', query })).toHaveStatus(400);
  });

  test('of platforms that need a secret: where the endpoint has none, or another', async () => {
    const open = await world.endpoint(AUTH['secret_url']!);
    expect(await send(open.url, { method: 'GET', query: '?crc_token=a' })).toHaveStatus(405);
    const other = await world.endpoint(AUTH['woocommerce']!);
    expect(await send(other.url, { method: 'GET', query: '?crc_token=a' })).toHaveStatus(405);
    const unsigned = { method: 'POST', headers: JSON_TYPE, body: ZOOM };
    expect(await send((await world.endpoint(AUTH['zoom']!)).url, unsigned)).toHaveStatus(401);
  });

  test('of Microsoft Graph: where only signed requests are accepted', async () => {
    const { url } = await world.endpoint(AUTH['github']!);
    expect(await send(url, { method: 'GET', query: GRAPH })).toHaveStatus(405);
    expect(await send(url, { method: 'POST', query: GRAPH, body: '' })).toHaveStatus(401);
  });
});

test('the origin of a sender of CloudEvents is allowed; OPTIONS without one names the methods', async () => {
  const { id, url } = await world.endpoint(AUTH['secret_url']!);
  const ask = (headers: Record<string, string>) => fetch(url, { method: 'OPTIONS', headers });
  const allowed = await ask({
    'webhook-request-origin': 'eventgrid.azure.net',
    'webhook-request-rate': '120',
  });
  expect(allowed.headers.get('webhook-allowed-origin')).toBe('eventgrid.azure.net');
  expect(allowed.headers.get('webhook-allowed-rate')).toBe('*');
  expect(allowed.headers.get('allow')).toBe('POST');
  expect(await ask({ 'webhook-request-origin': '<script>' })).toHaveStatus(400);
  expect(await ask({})).toHaveStatus(204);
  expect(await world.count(id)).toBe(0);
});

test('an Event Grid validation without a code is refused; its notifications are published', async () => {
  const { id, url } = await world.endpoint(AUTH['secret_url']!);
  const post = (kind: string, body: string) =>
    world.post(url, body, { ...JSON_TYPE, 'aeg-event-type': kind });
  for (const body of ['[]', '{}', 'no JSON', '[{"data": {"validationCode": "<b>"}}]'])
    expect(await post('SubscriptionValidation', body)).toHaveStatus(400);
  expect(await post('Notification', EVENT_GRID)).toHaveStatus(202);
  expect(await world.count(id)).toBe(1);
});

test('what X has signed as a challenge is no signature of a body', async () => {
  const { id, url } = await world.endpoint(AUTH['x']!);
  const { text } = await send(url, { method: 'GET', query: '?crc_token=title=Hello' });
  const header = { 'x-twitter-webhooks-signature': JSON.parse(text).response_token };
  for (const type of ['text/plain', 'application/x-www-form-urlencoded'])
    expect(outcome(await world.post(url, 'title=Hello', { 'content-type': type, ...header }))).toEqual([
      401,
      'signature_invalid',
    ]);
  expect(await world.count(id)).toBe(0);
  const body = '{"for_user_id": "1"}';
  const signature = { 'x-twitter-webhooks-signature': `sha256=${hmac(body, 'base64')}` };
  expect(await world.post(url, body, { ...JSON_TYPE, ...signature })).toHaveStatus(202);
});

test('a signed form with only a webhook_id is published', async () => {
  const { url } = await world.endpoint(AUTH['woocommerce']!);
  const headers = { ...FORM_TYPE, 'x-wc-webhook-signature': hmac('webhook_id=12', 'base64') };
  expect(await world.post(url, 'webhook_id=12', headers)).toHaveStatus(202);
  for (const body of ['webhook_id=12&a=b', 'webhook_id=x', `webhook_id=${'1'.repeat(21)}`])
    expect(await world.post(url, body, FORM_TYPE)).toHaveStatus(401);
});

test('handshakes are limited: by the rate of a secret URL, like invalid signatures elsewhere', async () => {
  const rate = { rate_limit: { limit: 1, burst: 2 } };
  const open = await world.endpoint(AUTH['secret_url']!, rate);
  const statuses = [];
  for (let nth = 0; nth < 3; nth++) statuses.push((await send(open.url, { method: 'HEAD' })).status);
  expect(statuses).toEqual([200, 200, 429]);

  const guarded = await world.endpoint(AUTH['github']!, rate);
  const headers = { 'x-forwarded-for': '192.0.2.9' };
  await withStillClock(async () => {
    const seen = new Set<number>();
    for (let nth = 0; nth < 200 && !seen.has(429); nth++)
      seen.add((await send(guarded.url, { method: 'HEAD', headers })).status);
    expect(seen).toEqual(new Set([200, 429]));
  });
  const signed = { ...JSON_TYPE, ...SIGN['github']!(SECRET, '{}') };
  expect(await world.post(guarded.url, '{}', signed)).toHaveStatus(202);
});
