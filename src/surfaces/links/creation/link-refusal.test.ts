import { afterAll, beforeAll, expect, test } from 'vitest';
import { newUuid } from '../../../platform/http/ids.ts';
import { toUuid } from '../../../core/vocabulary/ids.ts';
import { startTestApp, startWorkspace, type TestApp } from '../../../../test/support/test-app.ts';
import { makeKey, outcome } from '../../../../test/support/workspaces.ts';
import { isMisleadingSlug, isReservedSlug } from '../addresses/reserved-slugs.ts';

let app: TestApp;
let home: Awaited<ReturnType<typeof startWorkspace>>;
beforeAll(async () => {
  app = await startTestApp({ WORKSPACE_LIMITS: 'links=40' });
  home = await startWorkspace(app);
  const host = { workspace_id: toUuid('workspace', home.workspace)!, id: newUuid() };
  for (const [name, state] of [
    ['mine.example', 'verified'],
    ['later.example', 'pending'],
  ])
    await app.database.pool.query(
      `insert into domains (workspace_id, id, host, state, token, pending_since, created_at, updated_at)
       values ($1, $2, $3, $4, 't', now(), now(), now())`,
      [host.workspace_id, newUuid(), name, state],
    );
  await app.database.pool.query(
    "insert into hostnames (host, workspace_id, domain_id) values ('mine.example', $1, $2)",
    [host.workspace_id, host.id],
  );
});
afterAll(() => app.stop());

const call = (path: string, body?: unknown, method?: string, headers?: Record<string, string>) =>
  app.call(path, { key: home.key, body, method, headers });
const url = 'https://example.com/';

test('all faults of shape are told at once, then all that is refused', async () => {
  const shape = await call('/links', {
    url: 'nonsense',
    slug: 'a b',
    domain: 'a/b',
    image: 'ftp://x.example/',
    targeting: [{ when: { country: ['DE'] }, url: 'also nonsense' }],
  });
  expect([
    shape.status,
    shape.body.errors.map(({ pointer }: { pointer: string }) => pointer).toSorted(),
  ]).toEqual([400, ['/domain', '/image', '/slug', '/targeting/0/url', '/url']]);
  const rejected = await call('/links', {
    url: 'javascript:alert(1)',
    slug: 'API',
    expired_url: 'https://a:b@example.com/',
    targeting: [{ when: { country: ['DE'] }, url: 'http://127.1:0/x' }],
  });
  expect(rejected).toHaveStatus(422);
  expect(
    rejected.body.errors
      .map(({ pointer, code }: { pointer: string; code: string }) => `${pointer} ${code}`)
      .toSorted(),
  ).toEqual([
    '/expired_url credentials_in_url',
    '/slug slug_reserved',
    '/targeting/0/url link_loop',
    '/url scheme_not_allowed',
  ]);
});

test.each([
  [{ url: 'https://MINE.example./x' }, 'link_loop'],
  [{ url, domain: 'later.example' }, 'domain_not_verified'],
  [{ url, domain: 'foreign.example' }, 'unknown_domain'],
])('%j is refused: %s', async (body, code) => {
  const answer = await call('/links', body);
  expect([answer.status, answer.body.errors?.[0].code]).toEqual([422, code]);
});

test('a new link must not have expired; a change, an upsert and an import may end it in the past', async () => {
  const over = { expires_at: '2020-01-01T00:00:00.000Z' };
  const refused = await call('/links', { url, slug: 'admin', ...over });
  expect([refused.status, refused.body.errors]).toEqual([
    422,
    [
      expect.objectContaining({ pointer: '/slug', code: 'slug_reserved' }),
      { pointer: '/expires_at', code: 'in_the_past', detail: 'must be in the future' },
    ],
  ]);
  const bulk = await call('/links/bulk', { links: [{ url, ...over }, { url }] });
  expect(bulk.body.results.map(({ status }: { status: number }) => status)).toEqual([422, 201]);
  const changed = await call(`/links/${bulk.body.results[1].link.id}`, over, 'PATCH');
  const upserted = await call('/links/upsert', { url, external_id: 'over', ...over }, 'PUT');
  for (const { status, body } of [changed, upserted])
    expect([status < 300, body]).toEqual([true, expect.objectContaining({ state: 'expired', ...over })]);
});

test('a slug is one of its domain, in NFC, and case counts', async () => {
  const slugs = ['Straße', 'STRASSE', 'e\u0301', 'é2', '日本', 'a-b_c'];
  for (const slug of slugs) expect(await call('/links', { url, slug })).toHaveStatus(201);
  const same = await call('/links', { url, slug: '\u00e9' });
  expect(outcome(same)).toEqual([409, 'slug_taken']);
  const elsewhere = await call('/links', { url, slug: '日本', domain: 'Mine.Example' });
  expect(elsewhere.body).toMatchObject({
    domain: 'mine.example',
    short_url: `http://mine.example:0/${encodeURIComponent('日本')}`,
  });
  expect(await call('/links', { url, slug: 'api', domain: 'mine.example' })).toHaveStatus(201);
  const moved = await call(`/links/${elsewhere.body.id}`, { domain: 'localhost:0' }, 'PATCH');
  expect(outcome(moved)).toEqual([409, 'slug_taken']);
  const offered = moved.body.errors[0].suggestion;
  expect(
    (await call(`/links/${elsewhere.body.id}`, { domain: 'localhost:0', slug: offered }, 'PATCH')).status,
  ).toBe(200);
  expect(await call('/links', { url, slug: '日本', domain: 'mine.example' })).toHaveStatus(201);
  for (const slug of ['', 'a b', 'a/b', 'a.b', 'a+b', '👍', 'a'.repeat(101)])
    expect((await call('/links', { url, slug })).status, slug).toBe(400);
});

test('first segments of the server itself are no slugs', () => {
  const routes = app.app.server.printRoutes({ commonPrefix: false });
  const first = new Set(
    [...routes.matchAll(/^[├└]── ([^\s/(]*\/)?([^\s/(:*]+)/gmu)].map((match) => match[2]!),
  );
  expect([...first]).toEqual(expect.arrayContaining(['api', 'healthz']));
  expect([...first].filter((segment) => !isReservedSlug(segment))).toEqual([]);
});

test('slugs that look like pages of the server are refused on its own domain alone', async () => {
  const looks = [
    'login',
    'Sign-In',
    'admin',
    'chat',
    'channels',
    'apple-app-site-association',
    'ｌｏｇｉｎ',
    'аdmіn',
    'dοcs',
    'Ápi',
  ];
  expect(looks.filter((slug) => !isMisleadingSlug(slug))).toEqual([]);
  expect(['launch', 'chats', 'логин', 'admin-2', 'café'].filter(isMisleadingSlug)).toEqual([]);
  const refused = await call('/links', { url, slug: 'аdmіn' });
  expect([refused.status, refused.body.errors[0].code]).toEqual([422, 'slug_reserved']);
  expect(await call('/links', { url, slug: 'login', domain: 'mine.example' })).toHaveStatus(201);
});

test('a password is asked for, and shown nowhere', async () => {
  const made = await call('/links', { url, slug: 'locked', password: 'open sesame', find_if_exists: true });
  expect(made.body).toMatchObject({ has_password: true });
  expect(JSON.stringify(made.body)).not.toMatch(/sesame|argon/);
  const again = await call('/links', { url, password: 'open sesame', find_if_exists: true });
  expect([again.status, again.body.id === made.body.id]).toEqual([201, false]);
  const { rows } = await app.database.pool.query("select route from link_routes where slug = 'locked'");
  expect(rows[0].route.passwordHash).toMatch(/^\$argon2id\$/);
  expect((await call(`/links/${made.body.id}`, { title: 'T' }, 'PATCH')).body.has_password).toBe(true);
  const blank = await call(`/links/${made.body.id}`, { password: '   ' }, 'PATCH');
  expect([blank.status, blank.body.errors[0].pointer]).toEqual([400, '/password']);
  const none = await call(`/links/${made.body.id}`, { password: null }, 'PATCH');
  expect(none.body.has_password).toBe(false);
  expect(app.logged.join('')).not.toContain('sesame');
});

test('an edit by a stale ETag is refused; counters are outside the version', async () => {
  const { body: link } = await call('/links', { url });
  await app.database.pool.query('update link_counters set clicks = 7 where link_id = $1', [
    toUuid('link', link.id),
  ]);
  const read = await call(`/links/${link.id}`);
  expect([read.body.clicks, read.headers.get('etag')]).toEqual([7, expect.stringMatching(/^"1-/)]);
  const edit = (title: string, version: string) =>
    call(`/links/${link.id}`, { title }, 'PATCH', { 'if-match': version });
  expect(await edit('A', '"1"')).toHaveStatus(200);
  expect(outcome(await edit('B', '"1"'))).toEqual([412, 'precondition_failed']);
});

test('a cap that is set later counts the clicks that were; raised, it opens the link again', async () => {
  const { body: link } = await call('/links', { url });
  await app.database.pool.query('update link_counters set clicks = 7 where link_id = $1', [
    toUuid('link', link.id),
  ]);
  const patch = (body: object) => call(`/links/${link.id}`, body, 'PATCH');
  expect((await patch({ max_clicks: 7 })).body.state).toBe('exhausted');
  expect((await patch({ max_clicks: 8 })).body.state).toBe('active');
  expect((await patch({ archived: true })).body.state).toBe('archived');
  expect((await patch({ archived: false, max_clicks: null })).body.state).toBe('active');
});

test('who may only create links creates them, and nothing else', async () => {
  const key = await makeKey(home, { scopes: ['links:create'] });
  const ask = (path: string, body?: unknown, method?: string) => app.call(path, { key, body, method });
  const made = await ask('/links', { url });
  expect(made).toHaveStatus(201);
  expect(outcome(await ask('/links', { url, find_if_exists: true }))).toEqual([403, 'insufficient_scope']);
  for (const [path, body, method] of [
    ['/links', undefined, 'GET'],
    [`/links/${made.body.id}`, undefined, 'GET'],
    [`/links/${made.body.id}`, { title: 'x' }, 'PATCH'],
    [`/links/${made.body.id}`, undefined, 'DELETE'],
    ['/links/upsert', { url, slug: 'x' }, 'PUT'],
    ['/links/bulk', { links: [{ url }] }, 'POST'],
  ] as const)
    expect(outcome(await ask(path, body, method)), `${method} ${path}`).toEqual([403, 'insufficient_scope']);
  const writer = await makeKey(home, { scopes: ['links:write'] });
  expect(await app.call('/links', { key: writer, body: { url } })).toHaveStatus(201);
});

test('a call that is sent again by its key makes one link', async () => {
  const headers = { 'idempotency-key': 'once' };
  const [first, second] = [
    await call('/links', { url }, 'POST', headers),
    await call('/links', { url }, 'POST', headers),
  ];
  expect([first.status, second.headers.get('idempotency-replayed'), second.body.id]).toEqual([
    201,
    'true',
    first.body.id,
  ]);
});

test('an upsert says by what it finds; what is archived is not found by being the same', async () => {
  expect((await call('/links/upsert', { url }, 'PUT')).body.errors[0].code).toBe('required');
  const body = { url, title: 'same', find_if_exists: true };
  const first = await call('/links', body);
  expect([
    (await call('/links', body)).status,
    (await call('/links', { ...body, title: 'other' })).status,
  ]).toEqual([200, 201]);
  await call(`/links/${first.body.id}`, { archived: true }, 'PATCH');
  expect(await call('/links', body)).toHaveStatus(201);
  const conflict = await call('/links', { url, external_id: 'own' });
  expect(conflict).toHaveStatus(201);
  expect(outcome(await call('/links', { url, external_id: 'own' }))).toEqual([409, 'conflict']);
});

test('a workspace has no more links than it may; of many, those that fit are made', async () => {
  const links = Array.from({ length: 45 }, () => ({ url }));
  const made = await call('/links/bulk', { links });
  const { data } = (await call('/usage')).body.resources
    ? {
        data: (await call('/usage')).body.resources.find(
          (one: { resource: string }) => one.resource === 'links',
        ),
      }
    : { data: null };
  expect(data).toEqual({ resource: 'links', used: 40, limit: 40 });
  expect(made.body.results.at(-1)).toMatchObject({ status: 403, error: { code: 'quota_exceeded' } });
  expect(outcome(await call('/links', { url }))).toEqual([403, 'quota_exceeded']);
});
