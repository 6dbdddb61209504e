import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { toUuid } from '../../../../core/vocabulary/ids.ts';
import { startWorkspace } from '../../../../../test/support/test-app.ts';
import { makeKey, outcome } from '../../../../../test/support/workspaces.ts';
import {
  type IngressWorld,
  startIngress,
} from '../../../../../test/support/automation/publishing-endpoints/ingress.ts';

let world: IngressWorld;
beforeAll(async () => {
  world = await startIngress();
});
afterAll(() => world.app.stop());

const bearer = (more: object = {}) => world.endpoint({ type: 'bearer' }, more);
const publish = (url: string, body: string | FormData, headers: Record<string, string> = {}) =>
  world.post(url, body, { authorization: `Bearer ${world.home.key}`, ...headers });
const JSON_TYPE = { 'content-type': 'application/json' };
const FORM_TYPE = { 'content-type': 'application/x-www-form-urlencoded' };

function parts(): FormData {
  const form = new FormData();
  form.append('title', 'Hello');
  form.append('file', new Blob(['bytes'], { type: 'image/png' }), 'a.png');
  return form;
}

test('takes JSON, forms, parts and text, with any query', async () => {
  const { id, url } = await bearer();
  expect(url).toBe(`${world.app.base}/api/v1/publish/${id}`);
  const file = { file_name: 'a.png', mime_type: 'image/png', size: 5, sha256: expect.any(String) };
  for (const [body, headers, payload] of [
    ['{"title": "Hello"}', JSON_TYPE, { title: 'Hello' }],
    ['title=Hello', FORM_TYPE, { title: 'Hello' }],
    [parts(), {}, { title: 'Hello', file }],
    ['Hello', { 'content-type': 'text/plain' }, { text: 'Hello' }],
    ['', {}, {}],
  ] as const) {
    const answer = await publish(`${url}?from=test&n=1`, body, headers);
    expect([answer.status, answer.body.errors]).toEqual([202, undefined]);
    expect(answer.body).toMatchObject({ status: 'received', source: 'bearer', created_by: world.home.keyId });
    const input = await world.input(answer.body.id);
    expect([input.payload, input.query]).toEqual([payload, { from: 'test', n: '1' }]);
    expect(input.headers).not.toHaveProperty('authorization');
  }
  expect(await world.count(id)).toBe(5);
});

test('what can not be read is refused, and nothing of it is kept', async () => {
  const { id, url } = await bearer();
  for (const [body, type, expected] of [
    ['{"a":', 'application/json', [400, 'invalid_json']],
    ['__proto__=1', 'application/x-www-form-urlencoded', [400, 'invalid_request']],
    ['<a/>', 'application/xml', [415, 'unsupported_media_type']],
    ['x', 'nonsense', [415, 'unsupported_media_type']],
    [' '.repeat(1024 * 1024 + 1), 'application/json', [413, 'payload_too_large']],
  ] as const)
    expect(outcome(await publish(url, body, { 'content-type': type }))).toEqual(expected);
  expect(await world.count(id)).toBe(0);
});

describe('an Idempotency-Key', () => {
  test('brings the first answer again for the same body, of whatever type', async () => {
    const { id, url } = await bearer();
    for (const [name, body, headers] of [
      ['json', '{"n": 1}', JSON_TYPE],
      ['form', 'n=1', FORM_TYPE],
      ['parts', parts, {}], // with each try by another boundary
      ['text', '1', { 'content-type': 'text/plain' }],
    ] as const) {
      const key = { ...headers, 'idempotency-key': name };
      const send = () => publish(url, typeof body === 'string' ? body : body(), key);
      const first = await send();
      expect(first).toHaveStatus(202);
      const again = await send();
      expect([again.status, again.headers.get('idempotency-replayed'), again.body]).toEqual([
        202,
        'true',
        first.body,
      ]);
      const other = await publish(url, 'another', { ...key, 'content-type': 'text/plain' });
      expect(outcome(other)).toEqual([422, 'idempotency_mismatch']);
    }
    expect(await world.count(id)).toBe(4);
  });

  test('of what was refused brings the refusal again, kept once', async () => {
    const { id, url } = await bearer({
      destinations: [{ ...(await destination()), template: '{{ payload.x }}' }],
    });
    const key = { ...JSON_TYPE, 'idempotency-key': 'refused' };
    const first = await publish(url, '{}', key);
    expect(first).toHaveStatus(422);
    const again = await publish(url, '{}', key);
    const { request_id: _first, ...refusal } = first.body;
    expect(refusal.publication_id).toMatch(/^pub_/);
    expect([again.status, again.body, again.headers.get('idempotency-replayed')]).toEqual([
      422,
      { ...refusal, request_id: again.headers.get('fairlead-request-id') },
      'true',
    ]);
    expect(await world.count(id)).toBe(1);
  });
});

test('an endpoint that is changed all the while loses nothing, and holds nobody up', async () => {
  const { id, url } = await bearer();
  const changes = (async () => {
    for (let nth = 0; nth < 5; nth++)
      await world.call(`/publishing-endpoints/${id}`, { name: `Door ${nth}` }, 'PATCH');
  })();
  // More than there are connections, each with a transaction of its own.
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, nth) =>
      publish(url, `{"n": ${nth}}`, {
        ...JSON_TYPE,
        ...(nth % 4 ? { 'idempotency-key': `all ${nth}` } : {}),
      }),
    ),
  );
  await changes;
  const taken = answers.filter(({ status }) => status === 202).length;
  // A request that met three changes in a row is asked to retry.
  expect(new Set(answers.map(({ status }) => status))).toEqual(
    taken === answers.length ? new Set([202]) : new Set([202, 503]),
  );
  expect(await world.count(id)).toBe(taken);
});

const destination = async () => ({ instance_id: await world.instance(), to: 'alice' });

test('takes keys that may publish, of the workspace of the endpoint alone', async () => {
  const { url } = await bearer();
  const may = await makeKey(world.home, { scopes: ['publishing:publish'] });
  const reads = await makeKey(world.home, { scopes: ['publishing:read', 'messages:write'] });
  const stranger = await startWorkspace(world.app);
  const by = async (key: string) =>
    outcome(await world.post(url, '{}', { ...JSON_TYPE, authorization: `Bearer ${key}` }));
  expect(await by(may)).toEqual([202, undefined]);
  expect(await by(reads)).toEqual([403, 'insufficient_scope']);
  expect(await by(stranger.key)).toEqual([404, 'not_found']);
  expect(outcome(await world.post(url, '{}', JSON_TYPE))).toEqual([401, 'invalid_key']);
});

test('endpoints that are published to in another way say so; disabled ones take nothing', async () => {
  const at = (id: string) => `${world.app.base}/api/v1/publish/${id}`;
  for (const auth of [
    { type: 'secret_url' },
    { type: 'signature', scheme: 'github', secret: 'a secret of mine' },
  ]) {
    const { id } = await world.endpoint(auth);
    expect(outcome(await publish(at(id), '{}', JSON_TYPE))).toEqual([422, 'wrong_publishing_auth']);
    expect(await world.count(id)).toBe(0);
  }
  const { id, url } = await bearer();
  await world.call(`/publishing-endpoints/${id}`, { enabled: false }, 'PATCH');
  expect(outcome(await publish(url, '{}', JSON_TYPE))).toEqual([404, 'not_found']);
});

test('an endpoint takes no more than its rate, which goes with it', async () => {
  const { id, url } = await bearer({ rate_limit: { limit: 1, burst: 2 } });
  const answers = [];
  for (let nth = 0; nth < 4; nth++) answers.push(await publish(url, `{"n": ${nth}}`, JSON_TYPE));
  expect(answers.map(({ status }) => status)).toEqual([202, 202, 429, 429]);
  expect(answers[3]!.headers.get('retry-after')).toMatch(/^[1-9]\d{0,2}$/);
  const buckets = () =>
    world.rows('select from rate_buckets where key_id = $1', [toUuid('publishing_endpoint', id)]);
  expect(await buckets()).toHaveLength(1);
  await world.call(`/publishing-endpoints/${id}`, undefined, 'DELETE');
  expect(await buckets()).toHaveLength(0);
});

test('a browser key publishes from the pages that it lists', async () => {
  const { url } = await bearer();
  const origin = 'https://shop.example';
  const key = await makeKey(world.home, {
    scopes: ['publishing:publish'],
    allowed_origins: [origin],
    rate_limit: { limit: 60, burst: 60 },
    expires_at: new Date(Date.now() + 86_400_000).toISOString(),
  });
  const checked = await fetch(url, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization',
    },
  });
  expect([checked.status, checked.headers.get('access-control-allow-origin')]).toEqual([204, origin]);
  const headers = { ...FORM_TYPE, origin, authorization: `Bearer ${key}` };
  const answer = await world.post(url, 'title=Hello', headers);
  expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([202, origin]);
  const elsewhere = await world.post(url, 'title=Hello', { ...headers, origin: 'https://other.example' });
  expect(outcome(elsewhere)).toEqual([403, 'origin_not_allowed']);
});
