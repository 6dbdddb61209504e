import { createHash, randomBytes } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { eraseWorkspace } from '../workspaces/erasure.ts';
import { toUuid } from '../vocabulary/ids.ts';
import { PATIENCE } from '../../../test/support/patience.ts';
import { sendRaw } from '../../../test/support/raw-http.ts';
import { withStillClock } from '../../../test/support/still-clock.ts';
import { startTestApp, startWorkspace, type TestApp } from '../../../test/support/test-app.ts';
import { deleteOldInspectorRequests } from './inspector-retention.ts';

let app: TestApp;
let home: Awaited<ReturnType<typeof startWorkspace>>;
/** A fresh inspector: its ID, and its address on the test's port. */
let id: string;
let at: string;

beforeAll(async () => {
  // Callers are distinguished by address, so that the limits of one test don't affect others.
  app = await startTestApp({ TRUST_PROXY: '127.0.0.1,::1' });
  home = await startWorkspace(app);
});
afterAll(() => app.stop());
beforeEach(async () => {
  ({ id, at } = await makeInspector());
});
// A workspace has at most 20.
afterEach(() => call(`/inspectors/${id}`, undefined, 'DELETE'));

const call = (path: string, body?: unknown, method?: string, headers?: Record<string, string>) =>
  app.call(path, { key: home.key, body, method, headers });

async function makeInspector(answer: object = {}): Promise<{ id: string; at: string }> {
  const { body } = await call('/inspectors', { answer });
  return { id: body.id, at: app.base + new URL(body.url).pathname };
}

const getPath = (address: string): string => new URL(address).pathname;
const listed = async (query = '?limit=100') => (await call(`/inspectors/${id}/requests${query}`)).body;

/** The newest request whole. */
async function newest() {
  const [{ id: requestId }] = (await listed('?limit=1')).data;
  return (await call(`/inspectors/${id}/requests/${requestId}`)).body;
}

describe('what arrives', () => {
  test('is shown as it came', async () => {
    const { status } = await fetch(`${at}/orders/a%20b?x=1&x=2`, {
      method: 'PUT',
      headers: {
        'content-type': 'application/json',
        authorization: 'Bearer abc',
        'x-forwarded-for': '203.0.113.7',
      },
      body: '{"ü": 1}',
    });
    expect(status).toBe(200);
    const list = await listed();
    expect(list).toEqual({
      object: 'list',
      has_more: false,
      next_cursor: null,
      data: [
        {
          id: expect.stringMatching(/^ireq_/),
          object: 'inspector_request',
          inspector_id: id,
          number: 1,
          source: 'http',
          method: 'PUT',
          path: '/orders/a%20b',
          content_type: 'application/json',
          size: 9,
          truncated: false,
          remote_address: '203.0.113.7',
          webhook_id: null,
          event_type: null,
          signature: 'absent',
          answered: { status: 200, delay_ms: 0 },
          created_at: expect.any(String),
        },
      ],
    });
    expect(await newest()).toEqual({
      ...list.data[0],
      query: 'x=1&x=2',
      headers: expect.arrayContaining([{ name: 'authorization', value: 'Bearer abc' }]),
      body: '{"ü": 1}',
      body_encoding: 'utf8',
      body_hidden: false,
    });
  });

  test('leaves out what a trusted proxy adds, and keeps it from anybody else', async () => {
    const added = {
      forwarded: 'for=203.0.113.7',
      'x-forwarded-for': '203.0.113.7',
      'x-forwarded-proto': 'https',
      'x-real-ip': '203.0.113.7',
    };
    const names = async () =>
      (await newest()).headers
        .map(({ name }: { name: string }) => name.toLowerCase())
        .filter((name: string) => name.includes('forwarded') || name === 'x-real-ip' || name === 'x-theirs');
    await fetch(at, { headers: { ...added, 'x-theirs': '1' } });
    expect(await names()).toEqual(['x-theirs']);
    const direct = await startTestApp({}, app);
    try {
      await fetch(direct.base + getPath(at), { headers: { ...added, 'x-theirs': '1' } });
      expect((await names()).toSorted()).toEqual([...Object.keys(added), 'x-theirs'].toSorted());
    } finally {
      await direct.stop();
    }
  });

  test.each(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])(
    'may come by %s',
    async (method) => {
      const body = method === 'GET' || method === 'HEAD' ? undefined : 'x';
      expect(await fetch(at, { method, body })).toHaveStatus(200);
      expect((await newest()).method).toBe(method);
    },
  );

  test('may have a body of any type, binary, without type, with a GET, or none', async () => {
    const bytes = Buffer.from([0xff, 0x00, 0xfe, 0x80]);
    await fetch(at, { method: 'POST', body: bytes });
    expect(await newest()).toMatchObject({
      body: bytes.toString('base64'),
      body_encoding: 'base64',
      size: 4,
    });
    await fetch(at, { method: 'POST', headers: { 'content-type': ';;; what?' }, body: 'a\0b' });
    expect(await newest()).toMatchObject({ body: 'a\0b', body_encoding: 'utf8', content_type: ';;; what?' });
    const host = `Host: localhost`;
    const raw = await sendRaw(
      app.base,
      `GET ${getPath(at)} HTTP/1.1\r\n${host}\r\nContent-Length: 2\r\n\r\nhi`,
    );
    expect(raw.answers[0]!).toHaveStatus(200);
    expect(await newest()).toMatchObject({ method: 'GET', body: 'hi', content_type: null });
    await sendRaw(
      app.base,
      `POST ${getPath(at)} HTTP/1.1\r\n${host}\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n`,
    );
    expect(await newest()).toMatchObject({ method: 'POST', body: 'abc', size: 3 });
    await fetch(at, { method: 'POST' });
    expect(await newest()).toMatchObject({ body: '', size: 0 });
  });

  test('is cut after 256 KiB of body, where a character ends', async () => {
    await fetch(at, { method: 'POST', body: `${'a'.repeat(256 * 1024 - 1)}ü${'b'.repeat(1000)}` });
    const request = await newest();
    expect(request).toMatchObject({ truncated: true, size: 256 * 1024 + 1001, body_encoding: 'utf8' });
    expect(request.body).toBe('a'.repeat(256 * 1024 - 1));
    const noise = randomBytes(256 * 1024);
    await fetch(at, { method: 'POST', body: noise });
    const binary = await newest();
    expect(binary).toMatchObject({ truncated: false, body_encoding: 'base64' });
    const print = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
    expect(print(Buffer.from(binary.body, 'base64'))).toBe(print(noise));
  });

  test('may have hostile headers, of which 100 are kept, each cut', async () => {
    const lines = Array.from({ length: 150 }, (_, index) => `X-${index}: ${index}`);
    const strange = [
      '__proto__: 1',
      'constructor: 2',
      `Long: ${'v'.repeat(5000)}`,
      'Markup: <script>alert(1)</script>\xff',
    ];
    const text = [
      `POST ${getPath(at)} HTTP/1.1`,
      'Host: localhost',
      ...strange,
      ...lines,
      'Content-Length: 0',
      '',
      '',
    ];
    const { answers } = await sendRaw(app.base, Buffer.from(text.join('\r\n'), 'latin1'));
    expect(answers[0]!).toHaveStatus(200);
    const { headers } = await newest();
    expect(headers).toHaveLength(100);
    expect(headers.slice(0, 6)).toEqual([
      { name: 'Host', value: 'localhost' },
      { name: '__proto__', value: '1' },
      { name: 'constructor', value: '2' },
      { name: 'Long', value: 'v'.repeat(4096) },
      { name: 'Markup', value: '<script>alert(1)</script>ÿ' },
      { name: 'X-0', value: '0' },
    ]);
  });

  test('shows the credentials of a sender in the single view alone, and stores query and headers sealed', async () => {
    await fetch(`${at}?api_key=hush-query`, {
      headers: { authorization: 'Bearer hush', 'x-key': 'hush-key' },
    });
    expect(JSON.stringify(await listed())).not.toContain('hush');
    const whole = JSON.stringify(await newest());
    for (const secret of ['Bearer hush', 'hush-key', 'hush-query']) expect(whole).toContain(secret);
    const { rows } = await app.database.pool.query('select t::text as row from inspector_requests t');
    expect(JSON.stringify(rows)).not.toContain('hush');
  });

  test('bears an unchecked signature where nobody knows whose', async () => {
    const headers = { 'webhook-id': 'evt_1', 'webhook-timestamp': '1', 'webhook-signature': 'v1,AAAA' };
    await fetch(at, { method: 'POST', headers, body: '{}' });
    expect((await newest()).signature).toBe('unchecked');
  });
});

describe('what is kept', () => {
  test('is the last 200, in order and without holes, whatever comes at once to several processes', async () => {
    const second = await startTestApp({}, app);
    const addresses = [at, second.base + getPath(at)];
    const send = (count: number) =>
      Promise.all(
        Array.from({ length: count }, async (_, index) => {
          const { status } = await fetch(addresses[index % 2]!, { method: 'POST', body: 'x' });
          return status;
        }),
      );
    for (let sent = 0; sent < 200; sent += 40) expect(new Set(await send(40))).toEqual(new Set([200]));
    const numbers = async (): Promise<number[]> => {
      const first = await listed();
      const next = await listed(`?limit=100&cursor=${first.next_cursor}`);
      expect(next.has_more).toBe(false);
      return [...first.data, ...next.data].map(({ number }: { number: number }) => number);
    };
    expect(await numbers()).toEqual(Array.from({ length: 200 }, (_, index) => 200 - index));
    expect(await send(1)).toEqual([200]);
    expect(await numbers()).toEqual(Array.from({ length: 200 }, (_, index) => 201 - index));
    expect((await call(`/inspectors/${id}`)).body.requests_received).toBe(201);
    await second.stop();
  });

  test('is less where it is large: 16 MiB together', async () => {
    const body = Buffer.alloc(256 * 1024, 'a');
    for (let sent = 0; sent < 70; sent++) await fetch(at, { method: 'POST', body });
    const { data } = await listed();
    expect([data.length, data[0].number]).toEqual([63, 70]);
  });

  test('is read live by `after`, page by page, and by ETag', async () => {
    for (const path of ['/1', '/2', '/3']) await fetch(at + path);
    const paths = async (query: string) =>
      (await listed(query)).data.map(({ path }: { path: string }) => path);
    expect(await paths('?after=1')).toEqual(['/3', '/2']);
    expect(await paths('?after=3')).toEqual([]);
    const first = await listed('?after=1&limit=1');
    expect([first.data[0].path, first.has_more]).toEqual(['/3', true]);
    expect(await paths(`?after=1&limit=1&cursor=${first.next_cursor}`)).toEqual(['/2']);
    expect(await paths('?source=delivery')).toEqual([]);
    const { headers } = await call(`/inspectors/${id}/requests`);
    const again = () =>
      call(`/inspectors/${id}/requests`, undefined, 'GET', { 'if-none-match': headers.get('etag')! });
    expect(await again()).toHaveStatus(304);
    await fetch(at);
    expect(await again()).toHaveStatus(200);
    const foreign = await call(
      `/inspectors/${id}/requests?cursor=${Buffer.from('1:x').toString('base64url')}`,
    );
    expect([foreign.status, foreign.body.code]).toEqual([400, 'invalid_cursor']);
  });

  test('can be cleared; numbers go on', async () => {
    await fetch(at);
    expect(await call(`/inspectors/${id}/requests`, undefined, 'DELETE')).toHaveStatus(204);
    expect((await listed()).data).toEqual([]);
    await fetch(at);
    expect((await listed()).data.map(({ number }: { number: number }) => number)).toEqual([2]);
  });

  test('goes after seven days', async () => {
    await fetch(at);
    const day = 24 * 3600 * 1000;
    const { db } = app.database;
    await deleteOldInspectorRequests(db, new Date(Date.now() + 6.9 * day));
    expect((await listed()).data).toHaveLength(1);
    expect(await deleteOldInspectorRequests(db, new Date(Date.now() + 7.1 * day))).toBeGreaterThan(0);
    expect((await listed()).data).toEqual([]);
  });

  test('goes with the workspace, whose addresses end at once', async ({ onTestFinished }) => {
    const kept = home;
    onTestFinished(() => void (home = kept));
    home = await startWorkspace(app);
    ({ id, at } = await makeInspector());
    await fetch(at, { method: 'POST', body: 'x' });
    const { slug } = (await call(`/workspaces/${home.workspace}`)).body;
    const path = `/workspaces/${home.workspace}?slug=${slug}`;
    expect(await home.owner.call(path, { workspace: home.workspace, method: 'DELETE' })).toHaveStatus(204);
    expect(await fetch(at, { method: 'POST', body: 'y' })).toHaveStatus(404);
    const uuid = toUuid('workspace', home.workspace)!;
    await eraseWorkspace({ db: app.database.db }, { workspaceId: uuid });
    for (const table of ['inspectors', 'inspect_tokens', 'inspector_requests']) {
      const { rows } = await app.database.pool.query(`select 1 from ${table} where workspace_id = $1`, [
        uuid,
      ]);
      expect([table, rows]).toEqual([table, []]);
    }
  });
});

describe('the answer', () => {
  test('is what was set, as plain text that no browser takes for more', async () => {
    const body = '<script>alert(1)</script>';
    await call(
      `/inspectors/${id}`,
      { answer: { status: 429, headers: { 'Retry-After': '30' }, body } },
      'PATCH',
    );
    const answer = await fetch(at, { method: 'POST', body: 'secret body' });
    expect([answer.status, await answer.text()]).toEqual([429, body]);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'retry-after': '30',
      'content-type': 'text/plain; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
      'cache-control': 'no-store',
    });
    expect((await newest()).answered).toEqual({ status: 429, delay_ms: 0 });
  });

  test.each([204, 205, 304, 410, 500, 302, 599])('may have status %i', async (status) => {
    await call(`/inspectors/${id}`, { answer: { status, body: 'b' } }, 'PATCH');
    const answer = await fetch(at, { redirect: 'manual' });
    expect([answer.status, await answer.text()]).toEqual([
      status,
      [204, 205, 304].includes(status) ? '' : 'b',
    ]);
  });

  test('waits as long as was set', async () => {
    await call(`/inspectors/${id}`, { answer: { delay_ms: 1000 } }, 'PATCH');
    const began = performance.now();
    expect(await fetch(at)).toHaveStatus(200);
    expect(performance.now() - began).toBeGreaterThan(990);
  });

  test('waits, and what arrived is seen meanwhile', async () => {
    await call(`/inspectors/${id}`, { answer: { delay_ms: 20_000 } }, 'PATCH');
    const leaving = new AbortController();
    const answer = fetch(at, { signal: leaving.signal });
    answer.catch(() => undefined);
    await vi.waitFor(async () => expect((await listed()).data).toHaveLength(1));
    leaving.abort();
    await expect(answer).rejects.toMatchObject({ name: 'AbortError' });
  });

  test('is no CORS answer', async () => {
    const answer = await fetch(at, { headers: { origin: 'https://elsewhere.example' } });
    expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  });
});

describe('is refused', () => {
  test('an unknown address, whatever is wrong with it, with the same answer', async () => {
    const token = getPath(at).split('/').at(-1)!;
    const wrong = [
      `/inspect/${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`,
      `/inspect/${token}x`,
      `/inspect/${token.slice(1)}`,
      `/inspect/`,
      `/inspect//${token}`,
      `/inspect/%${token.charCodeAt(0).toString(16)}${token.slice(1)}`,
    ];
    const bodies = await Promise.all(
      wrong.map(async (path) => {
        const answer = await fetch(app.base + path, { method: 'POST', body: 'x' });
        expect([path, answer.status]).toEqual([path, 404]);
        const { request_id: _, ...body } = (await answer.json()) as { request_id: string };
        return body;
      }),
    );
    for (const body of bodies) expect(body).toEqual(bodies[0]);
    expect(JSON.stringify(bodies)).not.toContain(token.slice(1));
    expect((await listed()).data).toEqual([]);
  });

  test("another host than BASE_URL's", async () => {
    const { answers } = await sendRaw(
      app.base,
      `GET ${getPath(at)} HTTP/1.1\r\nHost: elsewhere.example\r\n\r\n`,
    );
    expect(answers[0]!).toHaveStatus(421);
    expect((await listed()).data).toEqual([]);
  });

  test.each([
    ['announced', 'Content-Length: 1048577\r\n\r\nabc'],
    [
      'chunked',
      `Transfer-Encoding: chunked\r\n\r\n${`${(65_536).toString(16)}\r\n${'x'.repeat(65_536)}\r\n`.repeat(17)}`,
    ],
  ])('a body over 1 MiB, %s, without waiting for the rest', async (_how, rest) => {
    const { answers, closed } = await sendRaw(
      app.base,
      `POST ${getPath(at)} HTTP/1.1\r\nHost: localhost\r\n${rest}`,
      PATIENCE.timeout,
    );
    expect([answers[0]?.status, closed]).toEqual([413, true]);
    expect((await listed()).data).toEqual([]);
  });

  test('a caller who leaves in the midst of the body; nothing is kept', async () => {
    const request = httpRequest(at, { method: 'POST', headers: { 'content-length': '10' } });
    request.on('error', () => undefined);
    request.write('abc');
    await new Promise((resolve) => request.once('socket', (socket) => socket.once('connect', resolve)));
    request.destroy();
    await fetch(`${at}/after`);
    await vi.waitFor(async () => expect((await listed()).data).toHaveLength(1));
    expect((await newest()).path).toBe('/after');
    expect(app.logged.join()).not.toContain('request failed');
  });

  test('too much from one address, and too much at once', async () => {
    const { at: slow } = await makeInspector({ delay_ms: 20_000 });
    const leaving = new AbortController();
    const answered: [number, string | null][] = [];
    const open = Array.from({ length: 60 }, () =>
      fetch(slow, { signal: leaving.signal })
        .then(({ status, headers }) => answered.push([status, headers.get('retry-after')]))
        .catch(() => null),
    );
    await vi.waitFor(() => expect(answered).toEqual(Array.from({ length: 10 }, () => [429, '1'])));
    leaving.abort();
    await Promise.all(open);
    // A caller that leaves frees capacity.
    await vi.waitFor(() =>
      expect(fetch(slow, { signal: AbortSignal.timeout(300) })).rejects.toMatchObject({
        name: 'TimeoutError',
      }),
    );

    const headers = { 'x-forwarded-for': '198.51.100.9' };
    const send = (path: string) => fetch(`${app.base}/inspect/${path}`, { headers });
    const last = await withStillClock(async () => {
      let one: Response | undefined;
      for (let sent = 0; sent < 40 && one?.status !== 429; sent++)
        one = (await Promise.all(Array.from({ length: 40 }, () => send('A'.repeat(43))))).at(-1);
      return one;
    });
    expect(last!).toHaveStatus(429);
    expect(Number(last!.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await fetch(at, { headers: { 'x-forwarded-for': '198.51.100.10' } })).toHaveStatus(200);
  });

  test('more than the rate of one inspector', async () => {
    const send = (address: string, index: number) =>
      fetch(address, { headers: { 'x-forwarded-for': `198.51.101.${index}` } });
    const statuses = await withStillClock(async () => {
      const all: number[] = [];
      for (let sent = 0; sent < 10; sent++)
        all.push(
          ...(await Promise.all(
            Array.from({ length: 40 }, (_, index) => send(at, index).then(({ status }) => status)),
          )),
        );
      return all;
    });
    expect(Map.groupBy(statuses, (status) => status).get(200)).toHaveLength(300);
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
    const { at: other } = await makeInspector();
    expect(await send(other, 0)).toHaveStatus(200);
  });
});

test('a server that stops answers those who wait at once', async () => {
  const second = await startTestApp({}, app);
  const { at: slow } = await makeInspector({ delay_ms: 20_000 });
  const answer = fetch(second.base + getPath(slow));
  await vi.waitFor(async () =>
    expect((await call('/inspectors?limit=1')).body.data[0].requests_received).toBe(1),
  );
  // Connections that are still busy after 5 s are cut.
  const cut = vi.spyOn(second.app.server.server, 'closeAllConnections');
  await second.stop();
  expect(await answer).toHaveStatus(200);
  expect(cut).not.toHaveBeenCalled();
});
