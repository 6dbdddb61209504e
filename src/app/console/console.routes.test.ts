import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { registerConsole } from './console.routes.ts';
import { loadStaticFiles } from './static-files.ts';

const SCRIPT = `console.log('${'x'.repeat(2000)}')`;
const folder = await temporaryFolder();
let app: FastifyInstance;

beforeAll(async () => {
  const file = (path: string, content: string | Buffer) => writeFile(join(folder.path, path), content);
  await mkdir(join(folder.path, 'assets'));
  await mkdir(join(folder.path, '.vite'));
  await file(
    'index.html',
    '<script nonce="__NONCE__">let a</script><script src="/b.js" nonce="__NONCE__"></script><div id="root">',
  );
  await file('assets/index-abc.js', SCRIPT);
  await file('assets/index-abc.js.br', brotliCompressSync(SCRIPT));
  await file('assets/index-abc.js.gz', gzipSync(SCRIPT));
  await file('favicon.svg', '<svg/>');
  await file('.vite/manifest.json', '{}');
  app = Fastify();
  registerConsole(app, { folder: folder.path });
  await app.ready();
});
afterAll(async () => {
  await app.close();
  await folder[Symbol.asyncDispose]();
});

const get = (url: string, headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') =>
  app.inject({ method, url, headers });

test('the root leads to the console', async () => {
  const { statusCode, headers } = await get('/');
  expect([statusCode, headers.location]).toEqual([302, '/user/api']);
});

describe('the page', () => {
  test.each([
    '/user/api',
    '/user/api/',
    '/user/api/w/acme/api-keys',
    '/user/api/invite/a.b',
    '/user/api/w/a?x=1',
  ])('is answered at %s', async (url) => {
    const { statusCode, headers, body } = await get(url);
    expect([statusCode, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(headers['cache-control']).toBe('no-store');
    expect(body).toContain('<div id="root">');
  });

  test('has a nonce of its own in each answer, and a policy that names it', async () => {
    const [one, two] = [await get('/user/api'), await get('/user/api')];
    const nonces = [...one.body.matchAll(/nonce="([^"]+)"/g)].map((match) => match[1]);
    expect(new Set(nonces).size).toBe(1);
    expect(two.body).not.toContain(nonces[0]);
    const policy = String(one.headers['content-security-policy']).split('; ');
    expect(policy).toContain("default-src 'none'");
    // Of `let a`, and of nothing else.
    const hash = createHash('sha256').update('let a').digest('base64');
    expect(policy).toContain(`script-src 'self' 'sha256-${hash}'`);
    expect(policy).toContain(`style-src 'self' 'nonce-${nonces[0]}'`);
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("base-uri 'none'");
    expect(policy.join()).not.toMatch(/unsafe|\*|https?:/);
  });

  test('carries the other protections', async () => {
    const { headers } = await get('/user/api');
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'same-origin',
      'cross-origin-opener-policy': 'same-origin',
    });
    expect(headers['permissions-policy']).toContain('camera=()');
  });

  test('HEAD has its headers and no body', async () => {
    const { statusCode, headers, body } = await get('/user/api/w/acme', {}, 'HEAD');
    expect([statusCode, headers['content-type'], body]).toEqual([200, 'text/html; charset=utf-8', '']);
  });
});

describe('files', () => {
  test('with a print in their name are kept for good', async () => {
    const { statusCode, headers, body } = await get('/user/api/assets/index-abc.js');
    expect([statusCode, body]).toEqual([200, SCRIPT]);
    expect(headers['content-type']).toBe('text/javascript; charset=utf-8');
    expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(headers['x-content-type-options']).toBe('nosniff');
  });

  test('without one are asked for again, and answered 304 when known', async () => {
    const { headers } = await get('/user/api/favicon.svg');
    expect([headers['cache-control'], headers['content-type']]).toEqual(['no-cache', 'image/svg+xml']);
    const again = await get('/user/api/favicon.svg', { 'if-none-match': `"other", W/${headers.etag}` });
    expect([again.statusCode, again.body]).toEqual([304, '']);
  });

  test.each([
    ['br, gzip', 'br'],
    ['gzip', 'gzip'],
    ['gzip;q=1.0, br;q=0', 'gzip'],
    ['identity', undefined],
    ['', undefined],
  ])('are compressed for Accept-Encoding "%s": %s', async (accepted, coding) => {
    const { headers, rawPayload } = await get('/user/api/assets/index-abc.js', {
      'accept-encoding': accepted,
    });
    expect([headers['content-encoding'], headers.vary]).toEqual([coding, 'Accept-Encoding']);
    const expected = { br: brotliCompressSync(SCRIPT), gzip: gzipSync(SCRIPT) }[coding ?? ''];
    expect(rawPayload).toEqual(expected ?? Buffer.from(SCRIPT));
  });

  test('are held compressed alone', () => {
    const files = loadStaticFiles(folder.path);
    expect(files.get('assets/index-abc.js')).toMatchObject({
      body: null,
      encoded: { gzip: gzipSync(SCRIPT) },
    });
    expect(files.get('favicon.svg')).toMatchObject({ body: Buffer.from('<svg/>'), encoded: {} });
  });

  test('differ in their ETag by coding', async () => {
    const tags = await Promise.all(
      ['br', 'gzip', 'identity'].map(
        async (coding) =>
          (await get('/user/api/assets/index-abc.js', { 'accept-encoding': coding })).headers.etag,
      ),
    );
    expect(new Set(tags).size).toBe(3);
  });

  test.each([
    '/user/api/assets/missing-abc.js',
    '/user/api/assets/index-abc.js.br',
    '/user/api/robots.txt',
    '/user/api/assets/../../package.json',
  ])('that are missing are 404, not the page: %s', async (url) => {
    expect((await get(url)).statusCode).toBe(404);
  });

  test('whose name begins with a dot are not served', async () => {
    const { body } = await get('/user/api/.vite/manifest.json');
    expect(body).not.toBe('{}');
  });
});

test('without a build the server says how to make one', () => {
  expect(() => registerConsole(Fastify(), { folder: join(folder.path, 'assets') })).toThrow('npm run build');
});
