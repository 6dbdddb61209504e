import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { toUuid } from '../../../core/vocabulary/ids.ts';
import { createSecretBox } from '../../../platform/crypto/secret-box.ts';
import {
  startTestApp,
  startWorkspace,
  TEST_SECRET,
  type TestApp,
} from '../../../../test/support/test-app.ts';
import { createMediaUrls } from './media-url.ts';
import { PNG, reachable, STORES, type TestStore, upload } from '../../../../test/support/messaging/media.ts';

describe.each(STORES)('media in %s', (_where, openStore) => {
  let app: TestApp;
  let store: TestStore;
  let home: Awaited<ReturnType<typeof startWorkspace>>;
  const bytes = randomBytes(700_001);
  let media: { id: string; url: string; sha256: string };
  beforeAll(async () => {
    store = await openStore();
    app = await startTestApp(store.env);
    home = await startWorkspace(app);
    media = (await upload(app, home, { bytes, name: 'data.bin' })).body;
  });
  afterAll(async () => {
    await app.stop();
    await store.stop();
  });

  async function get(url: string, headers: Record<string, string> = {}, method = 'GET') {
    const response = await fetch(url, { method, headers });
    return {
      status: response.status,
      headers: response.headers,
      body: Buffer.from(await response.arrayBuffer()),
    };
  }
  const byKey = (id: string, headers: Record<string, string> = {}, method?: string) =>
    get(
      `${app.base}/api/v1/media/${id}/content`,
      { authorization: `Bearer ${home.key}`, ...headers },
      method,
    );
  const bySignature = (headers: Record<string, string> = {}, method?: string) =>
    get(reachable(app, media.url), headers, method);

  describe.each([
    ['with a key', (headers?: Record<string, string>, method?: string) => byKey(media.id, headers, method)],
    ['by the signed address', bySignature],
  ])('content %s', (_how, read) => {
    test('is sent completely, with the headers a receiver needs', async () => {
      const { status, headers, body } = await read();
      expect(status).toBe(200);
      expect(body.equals(bytes)).toBe(true);
      expect(Object.fromEntries(headers)).toMatchObject({
        'content-length': String(bytes.length),
        'content-type': 'application/octet-stream',
        'content-disposition': `attachment; filename="data.bin"; filename*=UTF-8''data.bin`,
        'accept-ranges': 'bytes',
        etag: `"${media.sha256}"`,
        'cache-control': 'private, no-cache',
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
        'fairlead-request-id': expect.stringMatching(/^req_/),
      });
    });

    test('HEAD has the same headers and no body', async () => {
      const [head, whole] = [await read({}, 'HEAD'), await read()];
      expect([head.status, head.body.length]).toEqual([200, 0]);
      for (const name of ['content-length', 'content-type', 'etag', 'content-security-policy'])
        expect([name, head.headers.get(name)]).toEqual([name, whole.headers.get(name)]);
      const part = await read({ range: 'bytes=0-9' }, 'HEAD');
      expect([part.status, part.headers.get('content-length')]).toEqual([206, '10']);
    });

    test.each<[string, number, number]>([
      ['bytes=0-0', 0, 1],
      ['bytes=10-19', 10, 20],
      ['bytes=262143-262145', 262_143, 262_146],
      ['bytes=-5', 699_996, 700_001],
      ['bytes=-9999999', 0, 700_001],
      ['bytes=700000-', 700_000, 700_001],
      ['bytes=5-99999999', 5, 700_001],
    ])('%s is a part', async (range, from, to) => {
      const { status, headers, body } = await read({ range });
      expect([status, headers.get('content-range')]).toEqual([206, `bytes ${from}-${to - 1}/700001`]);
      expect(body.equals(bytes.subarray(from, to))).toBe(true);
    });

    test.each(['bytes=700001-', 'bytes=-0', 'bytes=99999999-'])('%s can not be', async (range) => {
      const { status, headers, body } = await read({ range });
      expect([status, headers.get('content-range')]).toEqual([416, 'bytes */700001']);
      expect(JSON.parse(body.toString())).toMatchObject({ code: 'range_not_satisfiable' });
    });

    test.each([
      'bytes=0-1,5-6',
      'bytes=9-1',
      'bytes=-',
      'lines=1-2',
      'bytes=a-b',
      `bytes=${'9'.repeat(40)}-`,
    ])('%s is passed over', async (range) => {
      const { status, body } = await read({ range });
      expect([status, body.length]).toEqual([200, bytes.length]);
    });

    test('If-Range counts for this file alone', async () => {
      const range = 'bytes=0-9';
      expect(await read({ range, 'if-range': `"${media.sha256}"` })).toHaveStatus(206);
      for (const other of ['"x"', `W/"${media.sha256}"`, new Date().toUTCString()])
        expect((await read({ range, 'if-range': other })).status, other).toBe(200);
    });

    test('If-None-Match answers 304', async () => {
      const { status, headers, body } = await read({ 'if-none-match': `"a", "${media.sha256}"` });
      expect([status, body.length, headers.get('etag')]).toEqual([304, 0, `"${media.sha256}"`]);
      expect(await read({ 'if-none-match': '"a"' })).toHaveStatus(200);
    });
  });

  describe('what a browser does with it', () => {
    const WEBM = Buffer.from('1a45dfa39f4286810142f7810142f2810442f381084282847765626d42878102428581', 'hex');
    test.each<[string, Buffer | string, string | undefined, string]>([
      ['a.png', PNG, undefined, 'inline'],
      ['a.webm', WEBM, undefined, 'inline'],
      ['a.wav', 'RIFF\x24\0\0\0WAVEfmt \x10\0\0\0', undefined, 'inline'],
      ['a.svg', '<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>', 'image/svg+xml', 'attachment'],
      ['a.html', '<script>alert(1)</script>', 'text/html', 'attachment'],
      ['a.pdf', '%PDF-1.7\n', 'application/pdf', 'attachment'],
      ['a.xml', '<?xml version="1.0"?><x/>', 'application/xml', 'attachment'],
    ])('%s', async (name, content, type, disposition) => {
      const { body } = await upload(app, home, { bytes: content, name, type });
      const read = await get(reachable(app, body.url));
      expect([read.status, read.headers.get('content-disposition')?.split(';')[0]]).toEqual([
        200,
        disposition,
      ]);
      expect(read.headers.get('content-security-policy')).toContain('sandbox');
      expect(read.headers.get('x-content-type-options')).toBe('nosniff');
      expect(read.headers.get('content-type')).not.toMatch(/script|css/);
    });

    test('a hostile name stays within its header', async () => {
      const name = `a"; filename="evil.html'%0d%0aset-cookie: a=b;\\ü.txt`;
      const { body } = await upload(app, home, { bytes: 'x', fields: { file_name: name } });
      const { headers } = await get(reachable(app, body.url));
      const [, plain, full] = /^attachment; filename="([^"]*)"; filename\*=UTF-8''([\w.!#$&+^`|~%-]*)$/.exec(
        headers.get('content-disposition')!,
      )!;
      expect(plain).not.toMatch(/["\\%]/);
      expect(decodeURIComponent(full!)).toBe(body.file_name);
      expect(headers.get('set-cookie')).toBeNull();
    });
  });

  describe('the signed address', () => {
    const urls = createMediaUrls(createSecretBox(TEST_SECRET), 'http://localhost');
    const read = async (token: string) => {
      const { status, body } = await get(`${app.base}/media/${token}`);
      return [status, status === 200 ? '' : JSON.parse(body.toString()).code];
    };
    const getToken = (url: string): string => url.split('/').at(-1)!;
    const ids = () => [toUuid('workspace', home.workspace)!, toUuid('media', media.id)!] as const;

    test('is the same within a quarter of an hour, and ends', async () => {
      const now = Date.now();
      expect(await read(getToken(urls.sign(...ids(), new Date(now)).url))).toEqual([200, '']);
      const late = urls.sign(...ids(), new Date(now - 2 * 3_600_000));
      expect(late.expiresAt.getTime()).toBeLessThan(now);
      expect(await read(getToken(late.url))).toEqual([410, 'media_url_expired']);
      const at = new Date('2026-01-15T09:31:00Z');
      expect(urls.sign(...ids(), at).url).toBe(urls.sign(...ids(), new Date('2026-01-15T09:44:59Z')).url);
      expect(urls.sign(...ids(), at).expiresAt.toISOString()).toBe('2026-01-15T10:45:00.000Z');
    });

    test('cannot be changed in any byte, nor encoded differently', async () => {
      const token = getToken(media.url);
      const whole = Buffer.from(token, 'base64url');
      for (let at = 0; at < whole.length; at += 3) {
        const changed = Buffer.from(whole);
        changed[at]! ^= 1;
        expect(await read(changed.toString('base64url'))).toEqual([404, 'not_found']);
      }
      const last = token.at(-1)!;
      const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
      const sibling = alphabet[alphabet.indexOf(last) ^ 1]!;
      for (const other of [
        token.slice(0, -1) + sibling,
        `${token}A`,
        token.slice(1),
        '',
        'x'.repeat(91),
        '%2e%2e',
      ])
        expect((await get(`${app.base}/media/${other}`)).status, other).toBe(404);
      const foreign = createMediaUrls(
        createSecretBox('another secret, of 32 characters!'),
        'http://localhost',
      );
      expect(await read(getToken(foreign.sign(...ids(), new Date()).url))).toEqual([404, 'not_found']);
    });

    test('names a workspace that must be the one of the file', async () => {
      const other = await startWorkspace(app);
      const mixed = urls.sign(toUuid('workspace', other.workspace)!, ids()[1], new Date());
      expect(await read(getToken(mixed.url))).toEqual([404, 'not_found']);
    });

    test('ends with the file, and with the workspace', async () => {
      const { body } = await upload(app, home, { bytes: 'gone' });
      expect(await read(getToken(body.url))).toEqual([200, '']);
      expect(await app.call(`/media/${body.id}`, { key: home.key, method: 'DELETE' })).toHaveStatus(204);
      expect(await read(getToken(body.url))).toEqual([404, 'not_found']);

      const doomed = await startWorkspace(app);
      const kept = await upload(app, doomed, { bytes: 'gone too' });
      const { workspace } = doomed;
      const { slug } = (await doomed.owner.call('/workspaces')).body.data[0];
      await doomed.owner.call(`/workspaces/${workspace}?slug=${slug}`, { workspace, method: 'DELETE' });
      expect(await read(getToken(kept.body.url))).toEqual([404, 'not_found']);
    });

    test('may be embedded elsewhere, accepts no other method, and works only on this host', async () => {
      expect((await bySignature()).headers.get('cross-origin-resource-policy')).toBe('cross-origin');
      const posted = await bySignature({}, 'POST');
      expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
      const { app: own } = app;
      const { pathname } = new URL(media.url);
      const elsewhere = await own.server.inject({ url: pathname, headers: { host: 'links.example' } });
      expect(elsewhere.statusCode).toBe(421);
    });
  });

  test('a revoked key ends a download that is open', async () => {
    const { body: made } = await home.owner.call('/api-keys', {
      workspace: home.workspace,
      body: { name: 'short', scopes: ['media:read'] },
    });
    const big = (await upload(app, home, { bytes: randomBytes(30_000_000) })).body;
    const request = http.get(`${app.base}/api/v1/media/${big.id}/content`, {
      headers: { authorization: `Bearer ${made.secret}` },
    });
    const [response] = (await once(request, 'response')) as [http.IncomingMessage];
    expect(response.statusCode).toBe(200);
    const ended = once(response, 'close').catch((error: unknown) => error);
    await home.owner.call(`/api-keys/${made.id}/revoke`, {
      workspace: home.workspace,
      method: 'POST',
      body: {},
    });
    await vi.waitFor(async () => expect(await app.call('/media', { key: made.secret })).toHaveStatus(401));
    // Nobody has read in the meantime: what still arrives was buffered in sockets.
    let read = 0;
    response.on('error', () => undefined).on('data', (chunk: Buffer) => (read += chunk.length));
    await ended;
    expect(response.complete).toBe(false);
    expect(read).toBeLessThan(30_000_000);
  });
});
