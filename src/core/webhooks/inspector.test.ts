import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { notBusy } from '../../../test/support/not-busy.ts';
import { startTestApp, startWorkspace, type TestApp } from '../../../test/support/test-app.ts';

let app: TestApp;
let home: Awaited<ReturnType<typeof startWorkspace>>;

beforeAll(async () => {
  app = await startTestApp();
  home = await startWorkspace(app);
});
afterAll(() => app.stop());

const call = (path: string, body?: unknown, method?: string, headers?: Record<string, string>) =>
  app.call(path, { key: home.key, body, method, headers });

async function makeInspector(
  body: object = {},
  key = home.key,
): Promise<{ id: string; url: string; at: string }> {
  const answer = await app.call('/inspectors', { key, body });
  expect(answer).toHaveStatus(201);
  const { id, url } = answer.body;
  return { id, url, at: app.base + new URL(url).pathname };
}

const getToken = (url: string): string => url.split('/').at(-1)!;

async function dumpRows(...tables: string[]): Promise<string> {
  const union = tables.map((name) => `select t::text as row from ${name} t`).join(' union all ');
  const { rows } = await app.database.pool.query(
    `select coalesce(string_agg(row, ' '), '') as all from (${union}) u`,
  );
  return rows[0].all;
}

describe('an inspector', () => {
  test('is made with nothing given, and answers 200 at its address', async () => {
    const { status, body, headers } = await call('/inspectors', {});
    expect(status).toBe(201);
    expect(headers.get('etag')).toBe('"1"');
    expect(body).toEqual({
      id: expect.stringMatching(/^insp_/),
      object: 'inspector',
      name: 'Inspector',
      enabled: true,
      url: expect.stringMatching(/^http:\/\/localhost:0\/inspect\/[\w-]{43}$/),
      answer: { status: 200, delay_ms: 0, headers: {}, body: '' },
      requests_received: 0,
      last_received_at: null,
      metadata: {},
      created_by: home.keyId,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    const got = await call(`/inspectors/${body.id}`);
    expect(got.body).toEqual(body);
    expect((await call('/inspectors?limit=1')).body.data).toEqual([body]);
    expect(await fetch(app.base + new URL(body.url).pathname)).toHaveStatus(200);
  });

  test('changes by part; counters are in the ETag, outside the version', async () => {
    const { id, at } = await makeInspector({ name: ' Mine ', answer: { status: 503, body: 'away' } });
    const { body: changed, headers } = await call(
      `/inspectors/${id}`,
      { answer: { headers: { 'Retry-After': '7' } } },
      'PATCH',
    );
    expect(changed).toMatchObject({
      name: 'Mine',
      answer: { status: 503, delay_ms: 0, headers: { 'retry-after': '7' }, body: 'away' },
    });
    expect(headers.get('etag')).toMatch(/^"2-/);
    await fetch(at);
    const got = await call(`/inspectors/${id}`);
    expect(got.headers.get('etag')).toMatch(/^"2-/);
    expect(got.headers.get('etag')).not.toBe(headers.get('etag'));
    expect(got.body).toMatchObject({ requests_received: 1, last_received_at: expect.any(String) });
    const stale = await call(`/inspectors/${id}`, { name: 'x' }, 'PATCH', { 'if-match': '"1"' });
    expect([stale.status, stale.body.code]).toEqual([412, 'precondition_failed']);
  });

  test.each([
    ['Set-Cookie', 'session=1'],
    ['Location', 'https://elsewhere.example'],
    ['Content-Type', 'text/html'],
    ['X-Accel-Redirect', '/etc/passwd'],
    ['Access-Control-Allow-Origin', '*'],
    ['Refresh', '0; url=https://elsewhere.example'],
    ['WWW-Authenticate', 'Basic'],
    ['Connection', 'close'],
    ['x-test-a/b', '1'],
    ['Content-Security-Policy', ''],
  ])('may not answer with %s', async (name, value) => {
    const { status, body } = await call('/inspectors', { answer: { headers: { [name]: value } } });
    expect([status, body.code, body.errors[0].code]).toEqual([422, 'unprocessable', 'header_not_allowed']);
    expect(body.errors[0].pointer).toBe(`/answer/headers/${name.replaceAll('/', '~1')}`);
  });

  test('tells every fault of shape', async () => {
    const { status, body } = await call('/inspectors', {
      nam: 'x',
      answer: {
        status: 101,
        delay_ms: 20_001,
        headers: { 'x-test-a': 'a\r\nset-cookie: b' },
        body: 'x'.repeat(4097),
        code: 1,
      },
    });
    expect(status).toBe(400);
    expect(body.errors.map(({ pointer }: { pointer: string }) => pointer).toSorted()).toEqual([
      '/answer/body',
      '/answer/code',
      '/answer/delay_ms',
      '/answer/headers/x-test-a',
      '/answer/status',
      '/nam',
    ]);
  });

  test('is one of at most 20 in a workspace, however many are made at once', async () => {
    const other = await startWorkspace(app);
    const made = await Promise.all(
      Array.from({ length: 24 }, () => notBusy(() => app.call('/inspectors', { key: other.key, body: {} }))),
    );
    expect(made.filter(({ status }) => status === 201)).toHaveLength(20);
    for (const { status, body } of made)
      if (status !== 201) expect([status, body.code]).toEqual([403, 'quota_exceeded']);
  });

  test('is gone at once when it is deleted, with what it received', async () => {
    const { id, at } = await makeInspector();
    await fetch(at, { method: 'POST', body: 'a' });
    expect(await call(`/inspectors/${id}`, undefined, 'DELETE')).toHaveStatus(204);
    expect(await fetch(at)).toHaveStatus(404);
    expect(await call(`/inspectors/${id}/requests`)).toHaveStatus(404);
    expect(await call(`/inspectors/${id}`, undefined, 'DELETE')).toHaveStatus(404);
    expect(await dumpRows('inspectors', 'inspect_tokens', 'inspector_requests')).not.toContain(id);
  });

  test("is not another workspace's", async () => {
    const { id, at } = await makeInspector();
    await fetch(at);
    const [request] = (await call(`/inspectors/${id}/requests`)).body.data;
    const other = await startWorkspace(app);
    const own = await makeInspector({}, other.key);
    for (const path of [
      `/inspectors/${id}`,
      `/inspectors/${id}/requests`,
      `/inspectors/${id}/requests/${request.id}`,
      `/inspectors/${own.id}/requests/${request.id}`,
    ]) {
      const { status, body } = await app.call(path, { key: other.key });
      expect([path, status, body.code]).toEqual([path, 404, 'not_found']);
    }
    // Of the same workspace, but of another inspector.
    expect(await call(`/inspectors/${(await makeInspector()).id}/requests/${request.id}`)).toHaveStatus(404);
  });

  test('is read with webhooks:read and changed with webhooks:write', async () => {
    const reader = await startWorkspace(app, { scopes: ['webhooks:read'] });
    expect(await app.call('/inspectors', { key: reader.key })).toHaveStatus(200);
    const made = await app.call('/inspectors', { key: reader.key, body: {} });
    expect([made.status, made.body.code]).toEqual([403, 'insufficient_scope']);
  });
});

describe('the token', () => {
  test('stands in no table in clear, no log line, event, audit entry or list of requests', async () => {
    const answer = await call('/inspectors', { name: 'secret address' }, 'POST', {
      'idempotency-key': 'one',
    });
    const { id, url } = answer.body;
    const token = getToken(url);
    const at = app.base + new URL(url).pathname;
    await fetch(`${at}/more?x=1`, { method: 'POST', body: 'b' });
    await call(`/inspectors/${id}`, { answer: { delay_ms: 1100 } }, 'PATCH');
    await fetch(at); // slow enough that another address would be logged
    await call(`/inspectors/${id}`, { name: 'c' }, 'PATCH');
    const { body: list } = await call(`/inspectors/${id}/requests`);
    const { body: whole } = await call(`/inspectors/${id}/requests/${list.data[0].id}`);
    const { body: audit } = await home.owner.call(`/audit-log?target_id=${id}`, {
      workspace: home.workspace,
    });
    expect(audit.data.map(({ action }: { action: string }) => action)).toContain('inspectors.create');
    expect(JSON.stringify([list, whole, audit])).not.toContain(token);
    expect(app.logged.join()).not.toContain(token);
    const { rows: tables } = await app.database.pool.query(
      `select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`,
    );
    const dump = await dumpRows(...tables.map(({ name }: { name: string }) => `"${name}"`));
    expect(dump).toContain('secret address');
    expect(dump).not.toContain(token);
  });

  test('is null in a replay, and shown again by a read', async () => {
    const again = await call('/inspectors', { name: 'secret address' }, 'POST', { 'idempotency-key': 'one' });
    expect([again.status, again.headers.get('idempotency-replayed'), again.body.url]).toEqual([
      201,
      'true',
      null,
    ]);
    expect((await call(`/inspectors/${again.body.id}`)).body.url).toMatch(/\/inspect\/[\w-]{43}$/);
  });
});
