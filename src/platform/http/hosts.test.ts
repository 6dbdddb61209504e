/** Tests which host names are served if BASE_URL is set, and that callers can't change the server's own URL. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RawAnswer, sendRaw } from '../../../test/support/raw-http.ts';
import { startTestApp, type TestApp } from '../../../test/support/test-app.ts';

const BASE = 'https://fairlead.example:8443';
let app: TestApp;

/** The server closes after its answer, so that a pause in a long answer is not its end. */
const UNTIL_CLOSED_MS = 30_000;

async function get(path: string, headers: Record<string, string>): Promise<RawAnswer> {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const { answers } = await sendRaw(
    app.base,
    `GET ${path} HTTP/1.1\r\n${lines.join('')}Connection: close\r\n\r\n`,
    UNTIL_CLOSED_MS,
  );
  return answers[0]!;
}
const getCode = ({ status, body }: RawAnswer) => [status, JSON.parse(body).code];

describe('with BASE_URL', () => {
  beforeAll(async () => {
    app = await startTestApp({ BASE_URL: BASE });
  });
  afterAll(() => app.stop());

  test.each(['fairlead.example:8443', 'FAIRLEAD.example:8443', 'fairlead.example', 'fairlead.example:1'])(
    '%s is ours',
    async (host) => {
      const answer = await get('/api/v1/me', { host });
      expect(getCode(answer)).toEqual([401, 'invalid_key']);
      expect(answer.headers['strict-transport-security']).toBe('max-age=31536000');
      expect(JSON.parse(answer.body).type).toBe(`${BASE}/docs/errors#invalid_key`);
    },
  );

  test.each([
    'localhost',
    '127.0.0.1',
    'evil.example',
    'fairlead.example.evil.example',
    'xfairlead.example',
    'fairlead.example.',
    '',
  ])('"%s" is not', async (host) => {
    expect(getCode(await get('/api/v1/me', { host }))).toEqual([421, 'misdirected_request']);
  });

  test('nothing that a caller writes gets into the document, nor makes the server write another', async () => {
    const usual = await get('/openapi.json', { host: 'fairlead.example:8443' });
    const callers: Record<string, string>[] = [
      { host: 'fairlead.example:9' },
      { host: 'fairlead.example', 'x-forwarded-host': 'evil.example' },
      { host: 'fairlead.example', 'x-forwarded-proto': 'http' },
      { host: 'fairlead.example', forwarded: 'host=evil.example;proto=http' },
    ];
    for (const headers of callers) {
      const answer = await get('/openapi.json', headers);
      expect(answer.headers.etag).toBe(usual.headers.etag);
      expect(answer.body).toBe(usual.body);
    }
    expect(JSON.parse(usual.body).servers[0].url).toBe(BASE);
  });
});

describe('a request with several Host headers', () => {
  const OURS = 'fairlead.example:8443';
  const send = async (path: string, hosts: string[]) => {
    const lines = hosts.map((host, at) => `${at % 2 ? 'hOsT' : 'Host'}: ${host}\r\n`).join('');
    const bytes = `GET ${path} HTTP/1.1\r\n${lines}Connection: close\r\n\r\n`;
    return (await sendRaw(app.base, bytes, UNTIL_CLOSED_MS)).answers[0]!;
  };
  beforeAll(async () => {
    app = await startTestApp({ BASE_URL: BASE });
  });
  afterAll(() => app.stop());

  test.each(['/api/v1/me', '/healthz', '/a-short-link', '/inspect/x', '/nothing/here'])(
    'is refused at %s, whichever is ours',
    async (path) => {
      for (const hosts of [
        [OURS, 'evil.example'],
        ['evil.example', OURS],
        [OURS, OURS],
        [OURS, ''],
        ['', OURS],
      ]) {
        const answer = await send(path, hosts);
        expect(getCode(answer)).toEqual([400, 'invalid_request']);
        expect(JSON.parse(answer.body).detail).toContain('more than one Host header');
      }
      expect((await send(path, [OURS])).status).not.toBe(400);
    },
  );
});

describe('behind a trusted proxy', () => {
  beforeAll(async () => {
    app = await startTestApp({ BASE_URL: BASE, TRUST_PROXY: '127.0.0.1,::1' });
  });
  afterAll(() => app.stop());

  test('the name that it was called by counts', async () => {
    const named = (host: string, forwarded: string) =>
      get('/api/v1/me', { host, 'x-forwarded-host': forwarded });
    expect(getCode(await named('10.0.0.7', 'fairlead.example'))).toEqual([401, 'invalid_key']);
    expect(getCode(await named('fairlead.example', 'evil.example'))).toEqual([421, 'misdirected_request']);
    expect(getCode(await named('10.0.0.7', 'fairlead.example, evil.example'))).toEqual([
      421,
      'misdirected_request',
    ]);
  });

  test('metrics are not shown to whom it forwards', async () => {
    expect(await get('/metrics', { host: 'localhost' })).toHaveStatus(200);
    for (const name of ['X-Forwarded-For', 'Forwarded', 'X-Real-IP', 'Via'])
      expect((await get('/metrics', { host: 'localhost', [name]: '203.0.113.7' })).status, name).toBe(404);
    expect(await get('/metrics', { host: 'fairlead.example' })).toHaveStatus(404);
  });
});

test('metrics with METRICS_TOKEN ask for it, from this machine too', async () => {
  app = await startTestApp({ METRICS_TOKEN: 'of the scraper' });
  const asked = async (authorization?: string) =>
    (await get('/metrics', { host: 'anything', ...(authorization ? { authorization } : {}) })).status;
  expect(await asked('Bearer of the scraper')).toBe(200);
  for (const wrong of [
    undefined,
    'Bearer',
    'Bearer of the scrapes',
    'of the scraper',
    'Basic of the scraper',
  ])
    expect(await asked(wrong)).toBe(404);
  await app.stop();
});
