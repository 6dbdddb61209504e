import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createSecretBox } from '../../../platform/crypto/secret-box.ts';
import { toUuid } from '../../vocabulary/ids.ts';
import {
  startTestApp,
  startWorkspace,
  TEST_SECRET,
  type TestApp,
} from '../../../../test/support/test-app.ts';
import { getEvents, makeKey, outcome } from '../../../../test/support/workspaces.ts';
import { getConfig, toRows } from '../../../../test/support/webhooks/webhook-rows.ts';
import { generateSecret, openConfig } from './webhook-secret.ts';
import { parseSecret } from '../../../platform/crypto/webhook-signature.ts';

let app: TestApp;
let home: Awaited<ReturnType<typeof startWorkspace>>;

beforeAll(async () => {
  app = await startTestApp({ EGRESS_ALLOW: '127.0.0.1' });
  home = await startWorkspace(app);
});
afterAll(() => app.stop());

const OWN = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const DAY_MS = 24 * 3600 * 1000;
let count = 0;
const freshUrl = () => `http://127.0.0.1:9/secret-${++count}`;
const call = (path: string, body?: unknown, method?: string, headers?: Record<string, string>) =>
  app.call(path, { key: home.key, body, method, headers });
const create = async (body: object = {}) => {
  const answer = await call('/webhooks', { url: freshUrl(), events: ['member.*'], ...body });
  expect([answer.status, answer.body.errors]).toEqual([201, undefined]);
  return answer.body;
};
const rotate = (id: string, body: object = {}, headers?: Record<string, string>) =>
  call(`/webhooks/${id}/rotate-secret`, body, 'POST', headers);
const getKeys = async (...of: Parameters<typeof getConfig>) =>
  (await getConfig(...of)).signingKeys.map((key) => key.export());
const getKey = (secret: string) => Buffer.from(secret.slice('whsec_'.length), 'base64');

describe('the form of a secret', () => {
  test('is whsec_ and 24 to 64 bytes in base64', () => {
    const made = generateSecret();
    expect(parseSecret(made)).toEqual(getKey(made));
    expect(parseSecret(made)).toHaveLength(32);
    expect(parseSecret(OWN)?.toString('hex')).toBe('31f290f6bf06298aab4f08d43c3f082cf648a362da2da4b0');
    const of = (bytes: number) => `whsec_${Buffer.alloc(bytes, 7).toString('base64')}`;
    expect([23, 24, 64, 65].map((bytes) => parseSecret(of(bytes))?.length)).toEqual([
      undefined,
      24,
      64,
      undefined,
    ]);
    for (const wrong of [
      OWN.slice(6),
      OWN.replace('M', '-'),
      `${OWN}\n`,
      of(32).replace('=', ''),
      'whsec_',
      '',
    ])
      expect([wrong, parseSecret(wrong)]).toEqual([wrong, null]);
  });
});

describe('rotate', () => {
  test('both sign for a day, then the new one alone', async () => {
    const { id, secret: first } = await create();
    expect(await getKeys(app, id)).toEqual([getKey(first)]);
    const before = Date.now();
    const { status, body } = await rotate(id);
    expect(status).toBe(201);
    expect(parseSecret(body.secret)).not.toBeNull();
    expect(body.secret).not.toBe(first);
    const until = Date.parse(body.previous_secret_expires_at);
    expect(until - before - DAY_MS).toBeGreaterThanOrEqual(0);
    expect(until - before - DAY_MS).toBeLessThan(10_000);
    expect(await getKeys(app, id)).toEqual([getKey(body.secret), getKey(first)]);
    expect((await getConfig(app, id, new Date(until - 1))).signingKeys).toHaveLength(2);
    expect(await getKeys(app, id, new Date(until))).toEqual([getKey(body.secret)]);
    expect((await toRows(app, id)).receiver.config_version).toBe(2);
    expect((await call(`/webhooks/${id}`)).body).toEqual(
      Object.fromEntries(Object.entries(body).filter(([name]) => name !== 'secret')),
    );
    const again = (await rotate(id)).body.secret;
    expect(await getKeys(app, id)).toEqual([getKey(again), getKey(body.secret)]);
  });

  test('takes a secret of the caller; the same once more changes nothing', async () => {
    const { id, secret: first } = await create();
    expect((await rotate(id, { secret: OWN })).body.secret).toBe(OWN);
    const again = await rotate(id, { secret: OWN });
    expect([again.status, again.body.secret, again.headers.get('etag')]).toEqual([201, OWN, '"2"']);
    expect(await getKeys(app, id)).toEqual([getKey(OWN), getKey(first)]);
    const wrong = await rotate(id, { secret: 'whsec_short' });
    expect([wrong.status, wrong.body.errors[0].pointer]).toEqual([400, '/secret']);
  });
});

test('secrets and values of headers stand nowhere in clear', async () => {
  const value = 'Bearer 7tWq-value-of-a-header';
  const key = { 'idempotency-key': 'one' };
  const body = { url: freshUrl(), events: ['member.*'], headers: { Authorization: value } };
  const made = await call('/webhooks', body, 'POST', key);
  const { id } = made.body;
  const replayed = await call('/webhooks', body, 'POST', key);
  expect([replayed.status, replayed.headers.get('idempotency-replayed')]).toEqual([201, 'true']);
  expect(replayed.body).toEqual({ ...made.body, secret: null });
  const rotated = await rotate(id, {}, key);
  expect((await rotate(id, {}, key)).body).toEqual({ ...rotated.body, secret: null });
  await rotate(id, { secret: OWN });
  await call(`/webhooks/${id}`, { headers: { Authorization: null, 'X-B': value } }, 'PATCH');
  await call(`/webhooks/${id}/test`, {});
  const attempts =
    'select from delivery_attempts a join deliveries d on d.id = a.delivery_id where webhook_id = $1';
  await vi.waitFor(async () => {
    const { rowCount } = await app.database.pool.query(attempts, [toUuid('webhook', id)]);
    expect(rowCount).toBe(1);
  });
  const wrong = await call('/webhooks', { ...body, headers: { Host: value, B: `${value}\n` } });
  expect(wrong).toHaveStatus(400);
  await call(`/webhooks/${id}`, undefined, 'DELETE');

  const shown = await Promise.all(
    ['/webhooks', '/events?limit=100'].map((path) =>
      call(path).then((answer) => JSON.stringify(answer.body)),
    ),
  );
  const audit = await home.owner.call('/audit-log?limit=100', { workspace: home.workspace });
  expect(audit.body.data.map(({ action }: { action: string }) => action)).toEqual(
    expect.arrayContaining(
      ['create', 'update', 'delete', 'rotate_secret', 'test'].map((verb) => `webhooks.${verb}`),
    ),
  );
  const { rows } = await app.database.pool.query(
    `select string_agg(t::text, ' ') as all from (
       select w::text from webhooks w union all select r::text from receivers r
       union all select o::text from outbox o union all select e::text from events e
       union all select a::text from audit_log a union all select i::text from idempotency_keys i
       union all select j::text from pgboss.job j
       union all select d::text from deliveries d union all select d::text from delivery_attempts d) t`,
  );
  const everything = [
    ...shown,
    JSON.stringify(audit.body),
    JSON.stringify(wrong.body),
    rows[0].all,
    app.logged.join(),
  ].join();
  expect(everything).toContain(id);
  for (const secret of [made.body.secret, rotated.body.secret, OWN, value])
    expect(everything).not.toContain(secret.slice(8, -2));
});

test('what is sealed for one webhook opens for no other', async () => {
  const [one, two] = [await create({ headers: { A: 'a' } }), await create({ headers: { A: 'b' } })];
  const { rows } = await app.database.pool.query('select * from webhooks where id = any ($1)', [
    [toUuid('webhook', one.id), toUuid('webhook', two.id)],
  ]);

  const box = createSecretBox(TEST_SECRET);
  const open = (change: object) => openConfig(box, { ...rows[0], ...change }, new Date());
  expect(() => open({})).not.toThrow();
  expect(() => open({ secret_sealed: rows[1].secret_sealed })).toThrow(/./);
  expect(() => open({ headers_sealed: rows[1].headers_sealed })).toThrow(/./);
  expect(() => open({ headers_sealed: rows[0].secret_sealed })).toThrow(/./);
});

describe('test', () => {
  test('writes a ping for this webhook', async () => {
    const { id } = await create();
    const { status, body } = await call(`/webhooks/${id}/test`, {});
    expect(status).toBe(202);
    expect(body).toEqual({
      object: 'webhook_test',
      webhook_id: id,
      event_id: expect.stringMatching(/^evt_/),
    });
    const { rows } = await app.database.pool.query(
      `select type, resource_id, data from outbox where event_id = $1
       union all select type, resource_id, data from events where id = $1`,
      [toUuid('event', body.event_id)],
    );
    expect(rows).toEqual([
      {
        type: 'ping',
        resource_id: id,
        data: { object: { object: 'ping', webhook_id: id, message: 'Hello from Fairlead.' } },
      },
    ]);
  });

  test('not of a disabled one', async () => {
    const { id } = await create({ enabled: false });
    expect(outcome(await call(`/webhooks/${id}/test`, {}))).toEqual([422, 'webhook_disabled']);
  });
});

describe('closed to others', () => {
  const operations = (id: string): [string, string, unknown, string][] => [
    ['POST', '/webhooks', { url: freshUrl(), events: ['member.*'] }, 'webhooks:write'],
    ['GET', '/webhooks', undefined, 'webhooks:read'],
    ['GET', `/webhooks/${id}`, undefined, 'webhooks:read'],
    ['PATCH', `/webhooks/${id}`, { description: 'theirs' }, 'webhooks:write'],
    ['POST', `/webhooks/${id}/rotate-secret`, {}, 'webhooks:write'],
    ['POST', `/webhooks/${id}/test`, {}, 'webhooks:write'],
    ['DELETE', `/webhooks/${id}`, undefined, 'webhooks:write'],
  ];

  test('no key, a wrong scope, another workspace', async () => {
    const { id } = await create();
    const stranger = await startWorkspace(app);
    for (const [method, path, body, scope] of operations(id)) {
      const as = (key?: string) => app.call(path, { key, method, body });
      expect(outcome(await as())).toEqual([401, 'invalid_key']);
      const others = scope === 'webhooks:read' ? 'webhooks:write' : 'webhooks:read';
      const narrow = await makeKey(home, { scopes: [others, 'members:read'] });
      const refused = await as(narrow);
      expect([path, ...outcome(refused)]).toEqual([path, 403, 'insufficient_scope']);
      expect(refused.body.detail).toContain(scope);
      if (path !== '/webhooks')
        expect([path, ...outcome(await as(stranger.key))]).toEqual([path, 404, 'not_found']);
    }
    expect((await app.call('/webhooks', { key: stranger.key })).body.data).toEqual([]);
    expect((await call(`/webhooks/${id}`)).headers.get('etag')).toMatch(/^"1-/);
    expect(await getEvents(app, toUuid('workspace', stranger.workspace)!)).not.toContainEqual(
      expect.objectContaining({ type: 'webhook.created' }),
    );
  });

  test('an ID that cannot be is answered as one that is not', async () => {
    for (const [method, path, body] of operations('whk_nonsense').slice(2))
      expect(outcome(await call(path, body, method))).toEqual([404, 'not_found']);
  });
});
