/** Tests which responses are compressed, and how compression changes them. */
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import http from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, startWorkspace, type TestApp } from '../../../test/support/test-app.ts';
import { chooseCoding } from './compression.ts';

let app: TestApp;
let home: Awaited<ReturnType<typeof startWorkspace>>;
beforeAll(async () => {
  app = await startTestApp({ EGRESS_ALLOW: '127.0.0.1:9' });
  home = await startWorkspace(app);
});
afterAll(() => app.stop());

interface Raw {
  status: number;
  headers: http.IncomingHttpHeaders;
  bytes: Buffer;
}

/** The bytes as they come, which `fetch` would unpack; of a stream the first of them. */
function call(
  path: string,
  headers: http.OutgoingHttpHeaders,
  { method = 'GET', body }: { method?: string; body?: object } = {},
) {
  return new Promise<Raw>((resolve, reject) => {
    const request = http.request(`${app.base}/api/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${home.key}`,
        ...(body ? { 'content-type': 'application/json' } : {}),
        ...headers,
      },
    });
    request.on('error', reject).on('response', (response) => {
      const { statusCode: status = 0, headers: answered } = response;
      const chunks: Buffer[] = [];
      const finish = (): void => resolve({ status, headers: answered, bytes: Buffer.concat(chunks) });
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        if (!answered['content-type']?.startsWith('text/event-stream')) return;
        finish();
        request.destroy();
      });
      response.on('end', finish).on('error', reject);
    });
    request.end(body && JSON.stringify(body));
  });
}

const UNPACK = { br: brotliDecompressSync, gzip: gunzipSync };
const LONG = {
  metadata: Object.fromEntries(Array.from({ length: 8 }, (_, nth) => [`note${nth}`, 'harbour '.repeat(60)])),
};

async function longLink(): Promise<string> {
  const { status, body } = await app.call('/links', {
    key: home.key,
    body: { url: 'https://example.com/', ...LONG },
  });
  expect(status).toBe(201);
  return body.id;
}

describe('an answer', () => {
  test.each(['br', 'gzip'] as const)('is compressed by %s where the caller takes it', async (coding) => {
    const plain = await call('/event-types', {});
    const { status, headers, bytes } = await call('/event-types', { 'accept-encoding': coding });
    expect([status, headers['content-encoding'], headers['vary'], headers['content-type']]).toEqual([
      200,
      coding,
      'Accept-Encoding',
      plain.headers['content-type'],
    ]);
    expect(headers['content-length']).toBe(String(bytes.length));
    expect(bytes.length * 4).toBeLessThan(plain.bytes.length);
    expect(UNPACK[coding](bytes)).toEqual(plain.bytes);
    expect(plain.headers['content-encoding']).toBeUndefined();
  });

  test('that is long is compressed beside other work', async () => {
    const plain = await call('/integrations/postman', {});
    expect(plain.bytes.length).toBeGreaterThan(200_000);
    const { headers, bytes } = await call('/integrations/postman', { 'accept-encoding': 'gzip' });
    expect(headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(bytes)).toEqual(plain.bytes);
  });

  test('to a write is compressed too', async () => {
    const items = Array.from({ length: 20 }, (_, nth) => ({ url: `https://example.com/${nth}` }));
    const { status, headers, bytes } = await call(
      '/links/bulk',
      { 'accept-encoding': 'br' },
      { method: 'POST', body: { links: items } },
    );
    expect([status, headers['content-encoding'], headers['cache-control']]).toEqual([200, 'br', 'no-store']);
    expect(JSON.parse(brotliDecompressSync(bytes).toString()).results).toHaveLength(20);
  });

  test('that is short stays as it is, and so does an error', async () => {
    for (const path of ['/me', '/nothing', '/links?limit=ten']) {
      const { headers } = await call(path, { 'accept-encoding': 'gzip, br' });
      expect([path, headers['content-encoding'], headers['vary']]).toEqual([path, undefined, undefined]);
    }
  });

  test('varies with its origin too', async () => {
    const { headers } = await call('/event-types', {
      'accept-encoding': 'br',
      origin: 'https://shop.example',
    });
    expect(headers['vary']).toBe('Origin, Accept-Encoding');
  });

  test('names its coding in its tag, by which it is known again and can be changed', async () => {
    const path = `/links/${await longLink()}`;
    const plain = (await call(path, {})).headers.etag!;
    for (const coding of ['br', 'gzip']) {
      const accept = { 'accept-encoding': coding };
      const { etag } = (await call(path, accept)).headers;
      expect(etag).toBe(`${plain.slice(0, -1)}-${coding}"`);
      for (const known of [etag!, plain]) {
        const { status, headers, bytes } = await call(path, { ...accept, 'if-none-match': known });
        expect([status, headers.etag, headers['vary'], bytes.length]).toEqual([
          304,
          etag,
          'Accept-Encoding',
          0,
        ]);
      }
      const head = await call(path, accept, { method: 'HEAD' });
      expect([head.headers['content-encoding'], head.headers.etag]).toEqual([coding, etag]);
    }
    const change = { method: 'PATCH', body: { title: 'Changed' } };
    expect(await call(path, { 'if-match': `${plain.slice(0, -1)}-br"` }, change)).toHaveStatus(200);
    expect(await call(path, { 'if-match': `${plain.slice(0, -1)}-br"` }, change)).toHaveStatus(412);
  });
});

describe('never compressed is', () => {
  const accept = { 'accept-encoding': 'br, gzip' };

  test('an answer with a secret', async () => {
    const made = await call('/webhooks', accept, {
      method: 'POST',
      body: { url: 'http://127.0.0.1:9/', events: ['link.created'], ...LONG },
    });
    expect([made.status, made.headers['content-encoding']]).toEqual([201, undefined]);
    const { id, secret } = JSON.parse(made.bytes.toString());
    expect([typeof secret, made.bytes.length > 2_048]).toEqual(['string', true]);
    const rotated = await call(`/webhooks/${id}/rotate-secret`, accept, { method: 'POST', body: {} });
    expect([rotated.status, rotated.headers['content-encoding']]).toEqual([201, undefined]);
    expect((await call(`/webhooks/${id}`, accept)).headers['content-encoding']).toBe('br');
  });

  test('an answer with the address of a file or an inspector', async () => {
    const media = await call('/media', accept, {
      method: 'POST',
      body: { url: 'http://127.0.0.1:9/x', ...LONG },
    });
    const inspector = await call('/inspectors', accept, { method: 'POST', body: { name: 'Mine', ...LONG } });
    for (const [noun, made] of [
      ['media', media],
      ['inspectors', inspector],
    ] as const) {
      const { id } = JSON.parse(made.bytes.toString());
      for (const path of [`/${noun}`, `/${noun}/${id}`]) {
        const { headers, bytes } = await call(path, accept);
        expect([path, headers['content-encoding'], bytes.length > 2_048]).toEqual([path, undefined, true]);
      }
    }
  });

  test('a stream', async () => {
    const text = 'word '.repeat(1_000);
    const chat = { model: 'fairlead/echo', stream: true, messages: [{ role: 'user', content: text }] };
    for (const { headers } of [
      await call('/events/stream', accept),
      await call('/chat/completions', accept, { method: 'POST', body: chat }),
    ])
      expect([headers['content-type'], headers['content-encoding']]).toEqual([
        expect.stringContaining('text/event-stream'),
        undefined,
      ]);
  });
});

test.each([
  [undefined, null],
  ['', null],
  ['identity', null],
  ['gzip', 'gzip'],
  ['gzip, deflate, br, zstd', 'br'],
  ['GZIP;q=1.0, br;q=0.5', 'gzip'],
  ['br;q=0, gzip', 'gzip'],
  ['gzip;q=0', null],
  ['*', 'br'],
  ['*;q=0', null],
  ['br;q=0, *', 'gzip'],
  ['gzip;q=nonsense', null],
  ['gzipped, broken', null],
])('Accept-Encoding: %s is answered by %s', (header, coding) => {
  expect(chooseCoding(header)).toBe(coding);
});
