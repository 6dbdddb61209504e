import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { toUuid } from '../vocabulary/ids.ts';
import { startTestApp, startWorkspace, type TestApp } from '../../../test/support/test-app.ts';
import { getEvents, makeKey, outcome } from '../../../test/support/workspaces.ts';
import { layDelivery } from '../../../test/support/webhooks/deliveries.ts';
import {
  getWakeups,
  getConfig,
  expectConsistent,
  toRows,
} from '../../../test/support/webhooks/webhook-rows.ts';

let app: TestApp;
let home: Awaited<ReturnType<typeof startWorkspace>>;

// Nothing is sent, so that rows don't change during tests.
beforeAll(async () => {
  app = await startTestApp({ EGRESS_ALLOW: '127.0.0.1', ROLE: 'api' });
  home = await startWorkspace(app);
  await call('/tags', { name: 'spring' });
});
afterAll(() => app.stop());

let count = 0;
const freshUrl = () => `http://127.0.0.1:9/hook-${++count}`;
const call = (path: string, body?: unknown, method?: string, headers?: Record<string, string>) =>
  app.call(path, { key: home.key, body, method, headers });
const create = async (body: object = {}) => {
  const answer = await call('/webhooks', { url: freshUrl(), events: ['member.*'], ...body });
  expect([answer.status, answer.body.errors]).toEqual([201, undefined]);
  return answer.body;
};
const patch = (id: string, body: object, headers?: Record<string, string>) =>
  call(`/webhooks/${id}`, body, 'PATCH', headers);
const getErrors = ({ body }: { body: { errors?: { pointer: string; code: string }[] } }) =>
  (body.errors ?? []).map(({ pointer, code }) => [pointer, code]);
const getReports = async (id: string) => {
  const events = await getEvents(app, toUuid('workspace', home.workspace)!);
  return events.filter(({ data }) => data.object.id === id || data.object.webhook_id === id);
};
describe('change', () => {
  test('of each setting: row, receiver and subscriptions agree, and the event tells what was', async () => {
    let webhook = await create();
    const url = freshUrl();
    for (const change of [
      { description: 'Mirror' },
      { events: ['api_key.created', 'api_key.created', 'member.*'] },
      { filters: { tag: 'spring' } },
      { filters: {} },
      { url },
      { target_url: freshUrl() },
      { rate_limit: { limit: 60, burst: 5 } },
      { rate_limit: null },
      { concurrency: 3 },
      { ordering: 'per_resource' },
      { metadata: { team: 'growth' } },
      { enabled: false },
      { events: ['member.added'] },
      { enabled: true },
    ]) {
      const before = (await toRows(app, webhook.id)).receiver.config_version;
      const { status, body } = await patch(webhook.id, change);
      expect([status, body.errors]).toEqual([200, undefined]);
      await expectConsistent(app, body);
      expect((await toRows(app, webhook.id)).receiver.config_version).toBe(before + 1);
      webhook = body;
    }
    expect(webhook).toMatchObject({
      events: ['member.added'],
      concurrency: 3,
      enabled: true,
      rate_limit: null,
    });
    const events = await getReports(webhook.id);
    expect(events.map(({ type }) => type)).toEqual([
      'webhook.created',
      ...Array.from({ length: 11 }, () => 'webhook.updated'),
      'webhook.disabled',
      'webhook.updated',
      'webhook.updated',
    ]);
    expect(events[1]!.data).toMatchObject({
      object: { description: 'Mirror' },
      previous_attributes: { description: null },
    });
    expect(events.at(-1)!.data).toMatchObject({ object: webhook, previous_attributes: { enabled: false } });
  });

  test('a new bound is tried in full, another change leaves what the receiver could bear', async () => {
    const { id } = await create({ rate_limit: { limit: 60, burst: 10 } });
    const set =
      'update receivers set slots = 2, timeouts = 4, tokens = 1.5, failing_since = now() where id = $1';
    await app.database.pool.query(set, [toUuid('webhook', id)]);
    await patch(id, { description: 'x' });
    const bearing = (await toRows(app, id)).receiver;
    expect(bearing).toMatchObject({ slots: 2, timeouts: 4, tokens: 1.5, failing_since: expect.any(Date) });
    await patch(id, { concurrency: 16, rate_limit: { limit: 60, burst: 1 } });
    expect((await toRows(app, id)).receiver).toMatchObject({ slots: 16, timeouts: 4, tokens: 1 });
    await patch(id, { enabled: false });
    await patch(id, { enabled: true });
    expect((await toRows(app, id)).receiver).toMatchObject({ slots: 16, timeouts: 0, failing_since: null });
  });

  test('disabling cancels what waits, once', async () => {
    const { id } = await create();
    const first = await patch(id, { enabled: false });
    expect(first.body).toMatchObject({ enabled: false, disabled_reason: 'user' });
    expect(await getWakeups(app, id)).toHaveLength(1);
    const again = await patch(id, { enabled: false });
    expect(again.body.disabled_at).toBe(first.body.disabled_at);
    expect(await getWakeups(app, id)).toHaveLength(1);
    expect((await getReports(id)).filter(({ type }) => type === 'webhook.disabled')).toHaveLength(1);
  });

  test('enabling again tells of all that still waits for its turn', async () => {
    const { id } = await create({ ordering: 'per_resource', enabled: false });
    const webhookId = toUuid('webhook', id)!;
    const workspaceId = toUuid('workspace', home.workspace)!;
    // Deliveries whose wake-ups were processed while it was disabled, and that are not canceled yet.
    for (const orderKey of ['one', 'one', 'two'])
      await layDelivery(app.database.pool, {
        workspaceId,
        webhookId,
        status: 'pending',
        due: 'infinity',
        orderKey,
      });
    expect(await patch(id, { enabled: true })).toHaveStatus(200);
    const { rows } = await app.database.pool.query(
      'select order_key from receiver_wakes where receiver_id = $1 order by order_key nulls first',
      [webhookId],
    );
    expect(rows.map(({ order_key }) => order_key)).toEqual([null, 'one', 'two']);
  });

  test('If-Match', async () => {
    const { id } = await create();
    expect((await patch(id, { description: 'a' }, { 'if-match': '"1"' })).headers.get('etag')).toMatch(
      /^"2-/,
    );
    expect(outcome(await patch(id, { description: 'b' }, { 'if-match': '"1"' }))).toEqual([
      412,
      'precondition_failed',
    ]);
    expect((await call(`/webhooks/${id}`)).body.description).toBe('a');
  });

  test('that makes it the same as another one is a conflict, also at once', async () => {
    const [one, two, three] = [await create(), await create(), await create()];
    expect(outcome(await patch(two.id, { url: one.url }))).toEqual([409, 'conflict']);
    expect(await patch(two.id, { url: two.url, events: two.events })).toHaveStatus(200);
    const url = freshUrl();
    const answers = await Promise.all([
      patch(two.id, { url }),
      patch(three.id, { url }),
      call('/webhooks', { url, events: ['member.*'] }),
    ]);
    expect(answers.filter(({ status }) => status < 300).length).toBeGreaterThan(0);
    const { body } = await call(`/webhooks?url=${encodeURIComponent(url)}`);
    expect(body.data).toHaveLength(1);
    for (const { status } of answers) expect([200, 201, 409]).toContain(status);
  });

  test('everything at once: no call breaks, and all rows agree in the end', async () => {
    const urls = Array.from({ length: 3 }, freshUrl);
    const all = await Promise.all(urls.map((url) => create({ url })));
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, n) => {
        const { id } = all[n % 3]!;
        const url = urls[(n * 7) % 3]!;
        const turns = [
          () => patch(id, { url }),
          () => patch(id, { enabled: n % 2 === 0, concurrency: n + 1 }),
          () => call('/webhooks', { url, events: ['member.*'] }),
          () => patch(id, { events: [n % 2 ? 'member.*' : 'member.added'] }),
          () => call(`/webhooks/${id}/rotate-secret`, {}),
        ];
        return turns[n % 5]!();
      }),
    );
    // On a slow machine a request may wait for a lock for longer than it may: it changed nothing.
    const refused = answers.filter(({ body }) => body.code === 'unavailable' && /locked/.test(body.detail));
    expect(refused.length).toBeLessThan(answers.length);
    for (const { status, body } of answers.filter((one) => !refused.includes(one)))
      expect([200, 201, 409], body.detail).toContain(status);
    const { body } = await call('/webhooks?limit=100');
    for (const webhook of body.data) await expectConsistent(app, webhook);
  });

  test('refuses what create refuses', async () => {
    const { id } = await create();
    const answer = await patch(id, {
      url: 'ftp://a',
      events: ['x'],
      headers: { 'webhook-id': 'a' },
      secret: 'a',
    });
    expect(answer).toHaveStatus(400);
    expect(getErrors(answer)).toEqual([['/secret', 'unknown_field']]);
    const more = await patch(id, { url: 'ftp://a', events: ['x'], headers: { 'webhook-id': 'a' } });
    expect(getErrors(more)).toEqual([
      ['/headers/webhook-id', 'header_not_allowed'],
      ['/url', 'invalid_url'],
      ['/events/0', 'unknown_event_type'],
    ]);
    expect((await call(`/webhooks/${id}`)).headers.get('etag')).toMatch(/^"1-/);
  });

  test('takes the scope of what it delivers and is to deliver; stopping one does not', async () => {
    const { id } = await create({ events: ['api_key.created'] });
    const key = await makeKey(home, { scopes: ['webhooks:write', 'members:read'] });
    const as = (path: string, body: object, method: string) => app.call(path, { key, body, method });
    for (const body of [
      { url: freshUrl() },
      { events: ['member.*'] },
      { enabled: true },
      { enabled: false, url: freshUrl() },
    ])
      expect(outcome(await as(`/webhooks/${id}`, body, 'PATCH'))).toEqual([403, 'insufficient_scope']);
    expect(outcome(await as(`/webhooks/${id}/rotate-secret`, {}, 'POST'))).toEqual([
      403,
      'insufficient_scope',
    ]);
    expect(await as(`/webhooks/${id}`, { enabled: false }, 'PATCH')).toHaveStatus(200);
    expect((await call(`/webhooks/${id}`)).body.enabled).toBe(false);
    const own = await create({ events: ['member.added'] });
    expect(outcome(await as(`/webhooks/${own.id}`, { events: ['*'] }, 'PATCH'))[0]).toBe(403);
    expect(await as(`/webhooks/${own.id}`, { events: ['member.*'] }, 'PATCH')).toHaveStatus(200);
  });
});

describe('headers', () => {
  const HEADERS = { Authorization: 'Bearer theirs', 'X-Team': 'a b' };

  test.each([
    ['', 'x', 'invalid_header_name'],
    ['X Y', 'x', 'invalid_header_name'],
    ['X:Y', 'x', 'invalid_header_name'],
    ['X\r\nY', 'x', 'invalid_header_name'],
    ['Ünicode', 'x', 'invalid_header_name'],
    ['HOST', 'x', 'header_not_allowed'],
    ['content-type', 'x', 'header_not_allowed'],
    ['Content-Length', '1', 'header_not_allowed'],
    ['Transfer-Encoding', 'chunked', 'header_not_allowed'],
    ['connection', 'close', 'header_not_allowed'],
    ['Keep-Alive', 'x', 'header_not_allowed'],
    ['TE', 'x', 'header_not_allowed'],
    ['Trailer', 'x', 'header_not_allowed'],
    ['Upgrade', 'x', 'header_not_allowed'],
    ['Expect', '100-continue', 'header_not_allowed'],
    ['Proxy-Authorization', 'x', 'header_not_allowed'],
    ['Webhook-Signature', 'v1,x', 'header_not_allowed'],
    ['X-A', 'a\r\nX-B: c', 'invalid_header_value'],
    ['X-A', 'a\nb', 'invalid_header_value'],
    ['X-A', ' a', 'invalid_header_value'],
    ['X-A', 'grün', 'invalid_header_value'],
  ])('refuses %j: %j', async (name, value, code) => {
    const { id } = await create();
    const answer = await patch(id, { headers: { [name]: value } });
    expect([answer.status, ...getErrors(answer)]).toEqual([400, [`/headers/${name}`, code]]);
  });

  test('refuses too many, too large, twice the same, and NUL', async () => {
    const { id } = await create();
    const many = Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`X-${n}`, 'x']));
    const refused = async (headers: object) => getErrors(await patch(id, { headers }));
    expect(await refused(many)).toEqual([['/headers', 'too_long']]);
    expect(await refused({ 'X-A': 'x'.repeat(5000), 'X-B': 'x'.repeat(3187) })).toEqual([
      ['/headers', 'too_long'],
    ]);
    expect((await patch(id, { headers: { 'X-A': 'x'.repeat(5000), 'X-B': 'x'.repeat(3186) } })).status).toBe(
      200,
    );
    expect(await refused({ 'X-A': 'x', 'x-a': 'y' })).toEqual([['/headers/x-a', 'duplicate']]);
    expect(await patch(id, { headers: { 'X-A': 'a\0b' } })).toHaveStatus(400);
  });

  test('replace the whole set; null keeps a value that is there', async () => {
    const { id } = await create({ headers: HEADERS });
    expect((await getConfig(app, id)).headers).toEqual(HEADERS);
    const kept = await patch(id, { headers: { authorization: null, 'X-New': 'n', __proto__x: 'p' } });
    expect(kept.body.headers).toEqual({ authorization: null, 'X-New': null, __proto__x: null });
    expect((await getConfig(app, id)).headers).toEqual({
      authorization: 'Bearer theirs',
      'X-New': 'n',
      __proto__x: 'p',
    });
    const unknown = await patch(id, { headers: { authorization: null, 'X-Team': null } });
    expect([unknown.status, ...getErrors(unknown)]).toEqual([422, ['/headers/X-Team', 'required']]);
    expect((await patch(id, { description: 'x' })).body.headers).toEqual(kept.body.headers);
    expect((await patch(id, { headers: {} })).body.headers).toEqual({});
    expect((await getConfig(app, id)).headers).toEqual({});
    expect((await call('/webhooks', { url: freshUrl(), events: ['*'], headers: { A: null } })).status).toBe(
      400,
    );
  });

  test('must be given again when the url moves to another origin', async () => {
    const { id } = await create({ headers: HEADERS });
    expect(await patch(id, { url: freshUrl() })).toHaveStatus(200);
    const url = 'http://127.0.0.1:10/';
    const moved = await patch(id, { url });
    expect([moved.status, ...getErrors(moved)]).toEqual([422, ['/headers', 'required']]);
    const kept = await patch(id, { url, headers: { Authorization: null, 'X-Team': 'c' } });
    expect([kept.status, ...getErrors(kept)]).toEqual([422, ['/headers/Authorization', 'required']]);
    expect((await getConfig(app, id)).url).not.toBe(url);
    expect(await patch(id, { url, headers: { Authorization: 'Bearer new' } })).toHaveStatus(200);
    expect(await getConfig(app, id)).toMatchObject({ url, headers: { Authorization: 'Bearer new' } });
    expect(await patch(id, { url: 'https://127.0.0.1:9/', headers: {} })).toHaveStatus(200);
  });
});
