import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newUuid } from '../../platform/http/ids.ts';
import { publicId, toUuid } from '../vocabulary/ids.ts';
import { startTestApp, startWorkspace, type TestApp } from '../../../test/support/test-app.ts';
import { getEvents, makeKey, outcome } from '../../../test/support/workspaces.ts';
import { getWakeups, expectConsistent, toRows } from '../../../test/support/webhooks/webhook-rows.ts';

let app: TestApp;
let home: Awaited<ReturnType<typeof startWorkspace>>;

// Nothing is sent, so that rows don't change during tests.
beforeAll(async () => {
  app = await startTestApp({
    EGRESS_ALLOW: '127.0.0.1:9,127.0.0.1:80',
    ROLE: 'api',
    WORKSPACE_LIMITS: 'webhooks=60',
  });
  home = await startWorkspace(app);
  for (const name of ['a', 'spring']) await call('/tags', { name });
});
afterAll(() => app.stop());

let count = 0;
/** Nothing listens there. */
const freshUrl = () => `http://127.0.0.1:9/hook-${++count}`;
const call = (path: string, body?: unknown, method?: string, headers?: Record<string, string>) =>
  app.call(path, { key: home.key, body, method, headers });
const post = (body: object, headers?: Record<string, string>) => call('/webhooks', body, 'POST', headers);
const create = async (body: object = {}) => {
  const answer = await post({ url: freshUrl(), events: ['member.*'], ...body });
  expect([answer.status, answer.body.errors]).toEqual([201, undefined]);
  return answer.body;
};
const getErrors = ({ body }: { body: { errors?: { pointer: string; code: string }[] } }) =>
  (body.errors ?? []).map(({ pointer, code }) => [pointer, code]);

describe('create', () => {
  test('takes url and events alone, and shows the secret once', async () => {
    const answer = await post({ url: 'HTTP://127.0.0.1:80', events: ['*', '*'] });
    expect(answer).toHaveStatus(201);
    const { secret, ...shown } = answer.body;
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(shown).toMatchObject({
      object: 'webhook',
      url: 'http://127.0.0.1/',
      target_url: 'http://127.0.0.1/',
      events: ['*'],
      filters: { instance_id: null, link_id: null, tag: null },
      description: null,
      kind: 'custom',
      headers: {},
      enabled: true,
      disabled_reason: null,
      disabled_at: null,
      rate_limit: null,
      concurrency: 32,
      ordering: 'none',
      previous_secret_expires_at: null,
      metadata: {},
      created_by: home.keyId,
    });
    expect(shown.id).toMatch(/^whk_/);
    expect(answer.headers.get('etag')).toBe('"1"');
    const got = await call(`/webhooks/${shown.id}`);
    expect([got.status, got.headers.get('etag')]).toEqual([200, expect.stringMatching(/^"1-/)]);
    expect(got.body).toEqual(shown);
    await expectConsistent(app, shown);
    expect((await toRows(app, shown.id)).receiver).toMatchObject({ slots: 32, in_flight: 0 });
  });

  test('takes every setting', async () => {
    const given = {
      target_url: freshUrl(),
      events: ['api_key.created', 'member.*'],
      filters: { tag: 'spring' },
      secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
      kind: 'custom',
      headers: { Authorization: 'Bearer theirs', 'User-Agent': 'us/1' },
      enabled: false,
      description: 'Mirror',
      rate_limit: 60,
      concurrency: 200,
      ordering: 'per_resource',
      metadata: { team: 'growth' },
    };
    const webhook = await create({ url: given.target_url, ...given });
    expect(webhook).toMatchObject({
      ...given,
      url: given.target_url,
      filters: { instance_id: null, link_id: null, tag: 'spring' },
      headers: { Authorization: null, 'User-Agent': null },
      rate_limit: { limit: 60, burst: 12 },
      disabled_reason: 'user',
      disabled_at: webhook.created_at,
    });
    await expectConsistent(app, webhook);
    expect((await toRows(app, webhook.id)).receiver).toMatchObject({ slots: 200, tokens: 12 });
  });

  test('tells all faults at once', async () => {
    const answer = await post({
      url: 'ftp://127.0.0.1/x',
      events: ['member.*', 'api_key.createt', 'nothing.at.all'],
      secret: 'whsec_c2hvcnQ=',
      headers: { Host: 'a', 'X-A': 'ok' },
    });
    expect(answer).toHaveStatus(400);
    expect(getErrors(answer)).toEqual([
      ['/secret', 'invalid_secret'],
      ['/headers/Host', 'header_not_allowed'],
      ['/url', 'invalid_url'],
      ['/events/1', 'unknown_event_type'],
      ['/events/2', 'unknown_event_type'],
    ]);
    expect(answer.body.errors[3].detail).toBe('did you mean api_key.created?');
  });

  test.each([
    [{ url: undefined }, '/url', 'required'],
    [{ url: 'http://user:pass@127.0.0.1:9/' }, '/url', 'invalid_url'],
    [{ url: 'http://127.0.0.1:9/#part' }, '/url', 'invalid_url'],
    [{ url: 'http://127.0.0.1:9/#' }, '/url', 'invalid_url'],
    [{ url: 'javascript:alert(1)' }, '/url', 'invalid_url'],
    [{ url: 'not a url' }, '/url', 'invalid_url'],
    [{ url: `http://127.0.0.1:9/${'x'.repeat(2048)}` }, '/url', 'too_long'],
    [{ url: `http://127.0.0.1:9/${'ü'.repeat(1000)}` }, '/url', 'too_long'],
    [{ target_url: 'http://127.0.0.1:9/other' }, '/target_url', 'ambiguous'],
    [{ events: [] }, '/events', 'too_short'],
    [{ events: undefined }, '/events', 'required'],
    [{ events: ['mem*'] }, '/events/0', 'unknown_event_type'],
    [{ kind: 'pigeon' }, '/kind', 'invalid_value'],
    [{ concurrency: 0 }, '/concurrency', 'out_of_range'],
    [{ concurrency: 201 }, '/concurrency', 'out_of_range'],
    [{ rate_limit: 'fast' }, '/rate_limit', 'invalid_type'],
    [{ ordering: 'global' }, '/ordering', 'invalid_value'],
    [{ filters: { link_id: 'ins_01h2xcejqtf2nbrexx3vqjhp41' } }, '/filters/link_id', 'invalid_value'],
    [{ filters: { chat: 'x' } }, '/filters/chat', 'unknown_field'],
    [{ secret: 'c2VjcmV0' }, '/secret', 'invalid_secret'],
    [{ secret: `whsec_${Buffer.alloc(23).toString('base64')}` }, '/secret', 'invalid_secret'],
    [{ secret: `whsec_${Buffer.alloc(65).toString('base64')}` }, '/secret', 'invalid_secret'],
    [{ secret: `whsec_${'!'.repeat(32)}` }, '/secret', 'invalid_secret'],
  ])('refuses %j', async (change, pointer, code) => {
    const answer = await post({ url: freshUrl(), events: ['member.*'], ...change });
    expect([answer.status, ...getErrors(answer)]).toEqual([400, [pointer, code]]);
  });

  test('refuses filters that name nothing of the workspace, on change too, and what is unchanged stays', async () => {
    const stranger = await startWorkspace(app);
    const theirs = await app.call('/tags', { key: stranger.key, body: { name: 'theirs' } });
    expect(theirs).toHaveStatus(201);
    const { id } = await create();
    const path = `/webhooks/${id}`;
    for (const filters of [
      { instance_id: publicId('instance', newUuid()) },
      { link_id: publicId('link', newUuid()) },
      { tag: 'theirs' },
    ]) {
      const [name] = Object.keys(filters);
      for (const answer of [
        await post({ url: freshUrl(), events: ['*'], filters }),
        await call(path, { filters }, 'PATCH'),
      ])
        expect([answer.status, ...getErrors(answer)]).toEqual([422, [`/filters/${name}`, 'not_found']]);
    }
    const tag = (await call('/tags', { name: 'short-lived' })).body.id;
    const changed = await call(path, { filters: { tag: 'short-lived' } }, 'PATCH');
    expect(changed).toHaveStatus(200);
    expect(await call(`/tags/${tag}`, undefined, 'DELETE')).toHaveStatus(204);
    expect(await call(path, { filters: changed.body.filters, description: 'x' }, 'PATCH')).toHaveStatus(200);
  });

  test('refuses an address that the server may not call, on change too, and makes nothing', async () => {
    const url = 'http://127.0.0.2:9/inner';
    const { id } = await create();
    const answers = [
      await post({ url, events: ['member.*'] }),
      await post({ target_url: 'http://[::1]:9/', events: ['member.*'] }),
      await call(`/webhooks/${id}`, { url }, 'PATCH'),
    ];
    expect(answers.map(outcome)).toEqual(answers.map(() => [422, 'address_not_allowed']));
    expect(answers.map((answer) => getErrors(answer)[0]![0])).toEqual(['/url', '/target_url', '/url']);
    expect(answers[0]!.body.detail).toContain('EGRESS_ALLOW=127.0.0.2:9');
    expect((await call(`/webhooks?url=${encodeURIComponent(url)}`)).body.data).toEqual([]);
  });

  test("takes an inspector's address, and no other path of this server", async () => {
    const token = 'a'.repeat(43);
    await create({ url: `${app.config.baseUrl}/inspect/${token}` });
    // The port of this server's address is 0 in tests, which is no port to send to.
    const refusal = [400, 'invalid_request'];
    for (const path of [`/inspect/${token}/x`, `/inspect/${token}?a=b`, '/inspect/a', '/api/v1/me'])
      expect([path, ...outcome(await post({ url: app.config.baseUrl + path, events: ['*'] }))]).toEqual([
        path,
        ...refusal,
      ]);
  });

  test('needs the scope of every event that it is to deliver, and names what lacks', async () => {
    const key = await makeKey(home, { scopes: ['webhooks:write', 'members:read'] });
    const make = (events: string[]) => app.call('/webhooks', { key, body: { url: freshUrl(), events } });
    expect(await make(['member.*'])).toHaveStatus(201);
    const refused = await make(['member.*', 'api_key.created']);
    expect(outcome(refused)).toEqual([403, 'insufficient_scope']);
    expect(refused.body.detail).toContain('api_keys:read');
    expect(refused.body.detail).not.toContain('members:read');
    expect((await make(['*'])).body.code).toBe('insufficient_scope');
  });
});

describe('the same subscription again', () => {
  const SAME = { events: ['member.*', 'api_key.created'] };
  const of = async (url: string) => {
    const { rows } = await app.database.pool.query('select id from webhooks where url = $1', [url]);
    return rows.length;
  };

  test('gives the first one back, without a secret, whatever the order and writing', async () => {
    const first = await create({ url: 'http://127.0.0.1:9/Same', ...SAME });
    const again = await post({
      target_url: 'HTTP://127.0.0.1:9/Same',
      events: [...SAME.events.toReversed(), 'member.*'],
      description: 'ignored',
    });
    expect(again).toHaveStatus(200);
    expect(again.body).toEqual({ ...first, secret: null });
    expect(again.headers.get('etag')).toBe('"1"');
    const more = [{ filters: { tag: 'a' } }, { events: ['member.*'] }, { url: 'http://127.0.0.1:9/same' }];
    for (const other of more)
      expect(await post({ url: 'http://127.0.0.1:9/Same', ...SAME, ...other })).toHaveStatus(201);
  });

  test('is another one by another key', async () => {
    const first = await create(SAME);
    const key = await makeKey(home, { preset: 'full' });
    const other = await app.call('/webhooks', { key, body: { url: first.url, ...SAME } });
    expect([other.status, other.body.id === first.id]).toEqual([201, false]);
  });

  test('many at once make one', async () => {
    const url = freshUrl();
    const answers = await Promise.all(Array.from({ length: 8 }, () => post({ url, ...SAME })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 200, 200, 201]);
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    expect(answers.filter(({ body }) => body.secret !== null)).toHaveLength(1);
    expect(await of(url)).toBe(1);
    await expectConsistent(app, answers[0]!.body);
  });

  test.each([
    ['gone', true],
    ['failing', true],
    ['user', false],
  ])('disabled as %s: works again: %s', async (reason, enabled) => {
    const first = await create(SAME);
    await call(`/webhooks/${first.id}`, { enabled: false }, 'PATCH');
    const id = toUuid('webhook', first.id);
    await app.database.pool.query('update webhooks set disabled_reason = $2 where id = $1', [id, reason]);
    await app.database.pool.query(
      'update receivers set failing_since = now(), timeouts = 3, slots = 1 where id = $1',
      [id],
    );
    const again = await post({ url: first.url, ...SAME });
    expect([again.status, again.body.secret]).toEqual([200, null]);
    expect(again.body).toMatchObject(
      enabled
        ? { enabled: true, disabled_reason: null, disabled_at: null }
        : { enabled: false, disabled_reason: 'user' },
    );
    await expectConsistent(app, again.body);
    const { receiver } = await toRows(app, first.id);
    expect(receiver).toMatchObject(
      enabled ? { failing_since: null, timeouts: 0, slots: 32 } : { timeouts: 3, slots: 1 },
    );
  });
});

describe('list and get', () => {
  test('filters by url, event type, enabled and time, and pages', async () => {
    const { key } = await startWorkspace(app);
    const own = (path: string, body?: unknown) => app.call(path, { key, body });
    const make = async (body: object) =>
      (await own('/webhooks', { url: freshUrl(), ...body })).body as { id: string; url: string };
    const all = await make({ events: ['*'] });
    const members = await make({ events: ['member.*'] });
    const added = await make({ events: ['member.added'], enabled: false });
    const keys = await make({ events: ['api_key.*'] });
    const ids = async (query: string) => {
      const { status, body } = await own(`/webhooks?${query}`);
      expect(status).toBe(200);
      return body.data.map(({ id }: { id: string }) => id);
    };
    expect(await ids('')).toEqual([keys.id, added.id, members.id, all.id]);
    expect(await ids('event_type=member.added')).toEqual([added.id, members.id, all.id]);
    expect(await ids('event_type=member.*')).toEqual([members.id]);
    expect(await ids('enabled=false')).toEqual([added.id]);
    expect(await ids('enabled=true&event_type=member.added')).toEqual([members.id, all.id]);
    expect(await ids(`url=${encodeURIComponent(members.url.replace('http', 'HTTP'))}`)).toEqual([members.id]);
    expect(await ids('created_before=2020-01-01T00:00:00Z')).toEqual([]);
    expect(await ids('created_after=2020-01-01T00:00:00Z')).toHaveLength(4);
    const page = await own('/webhooks?limit=3');
    expect([page.body.has_more, page.body.data.length]).toEqual([true, 3]);
    expect(await ids(`limit=3&cursor=${page.body.next_cursor}`)).toEqual([all.id]);
    expect(getErrors(await own('/webhooks?event_type=link.flown'))).toEqual([
      ['?event_type', 'unknown_event_type'],
    ]);
    expect((await own('/webhooks')).body.data[0]).not.toHaveProperty('secret');
  });

  test('If-None-Match', async () => {
    const { id } = await create();
    const read = (headers = {}) => call(`/webhooks/${id}`, undefined, 'GET', headers);
    const etag = (await read()).headers.get('etag')!;
    expect(await read({ 'if-none-match': etag })).toHaveStatus(304);
  });
});

test('the workspace holds as many as it may; the same one again is no further one', async () => {
  const { key, owner, workspace } = await startWorkspace(app);
  const uuid = toUuid('workspace', workspace);
  const make = (url: string) => app.call('/webhooks', { key, body: { url, events: ['member.*'] } });
  const first = await make(freshUrl());
  await app.database.pool.query(
    `insert into webhooks select (jsonb_populate_record(w, jsonb_build_object('id', gen_random_uuid(),
       'subscription_hash', '\\x' || md5(n::text)))).* from webhooks w, generate_series(2, 60) n where workspace_id = $1`,
    [uuid],
  );
  expect(outcome(await make(freshUrl()))).toEqual([403, 'quota_exceeded']);
  expect(await make(first.body.url)).toHaveStatus(200);
  const usage = await owner.call('/usage', { workspace });
  expect(usage.body.resources).toContainEqual({ resource: 'webhooks', used: 60, limit: 60 });
});

describe('delete', () => {
  test('takes all of it away, cancels what waits, and tells', async () => {
    const { secret: _secret, ...webhook } = await create();
    const { status } = await call(`/webhooks/${webhook.id}`, undefined, 'DELETE');
    expect(status).toBe(204);
    expect(await call(`/webhooks/${webhook.id}`)).toHaveStatus(404);
    expect(await call(`/webhooks/${webhook.id}`, undefined, 'DELETE')).toHaveStatus(404);
    expect(await toRows(app, webhook.id)).toEqual({ subscriptions: [], receiver: null });
    expect(await getWakeups(app, webhook.id)).toHaveLength(1);
    const events = await getEvents(app, toUuid('workspace', home.workspace)!);
    expect(events.at(-1)).toMatchObject({ type: 'webhook.deleted', data: { object: webhook } });
    const { secret } = await create({ url: webhook.url });
    expect(secret).not.toBeNull();
  });
});
