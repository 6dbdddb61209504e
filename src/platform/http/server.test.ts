/** What comes over the wire before any operation is asked: framing, hosts, targets, methods, callers who leave. */
import { setTimeout as sleep } from 'node:timers/promises';
import net from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RawAnswer, sendRaw } from '../../../test/support/raw-http.ts';
import { startTestApp, startWorkspace, type TestApp } from '../../../test/support/test-app.ts';
import { ERRORS } from './errors.ts';

let app: TestApp;
let home: Awaited<ReturnType<typeof startWorkspace>>;
/** Headers of a good call; the connection ends with it, or stays open. */
let own: string;
let keepOpen: string;

beforeAll(async () => {
  app = await startTestApp();
  home = await startWorkspace(app);
  keepOpen = `Host: ${new URL(app.base).host}\r\nAuthorization: Bearer ${home.key}\r\n`;
  own = `${keepOpen}Connection: close\r\n`;
});
afterAll(() => app.stop());

const JSON_TYPE = 'Content-Type: application/json\r\n';

/** An answer of ours, whatever it answers: its form and its headers. */
function expectOurs({ status, headers, body }: RawAnswer): void {
  expect(headers['fairlead-request-id']).toMatch(/^req_/);
  expect(headers['x-content-type-options']).toBe('nosniff');
  expect(headers['content-security-policy']).toContain("default-src 'none'");
  if (status < 400) return;
  expect(headers['content-type']).toMatch(/^application\/problem\+json/);
  const problem = JSON.parse(body);
  expect(problem).toMatchObject({ status, request_id: headers['fairlead-request-id'] });
  expect(ERRORS).toHaveProperty(problem.code);
}

async function getCodes(bytes: string | Buffer): Promise<unknown[]> {
  const { answers } = await sendRaw(app.base, bytes);
  for (const answer of answers) expectOurs(answer);
  return answers.flatMap(({ status, body }) => [status, status < 400 ? 'ok' : JSON.parse(body).code]);
}

test('a connection is kept for longer than proxies keep theirs', async () => {
  const { answers } = await sendRaw(app.base, `GET /healthz HTTP/1.1\r\n${keepOpen}\r\n`);
  const [, seconds] = /timeout=(\d+)/.exec(answers[0]!.headers['keep-alive']!)!;
  expect(Number(seconds)).toBeGreaterThan(120);
});

describe('framing', () => {
  const post = `POST /api/v1/chat/completions HTTP/1.1\r\n`;
  test.each([
    ['no HTTP at all', () => 'nonsense\r\n\r\n', 400, 'invalid_request'],
    ['an unknown method', () => `FOO /api/v1/me HTTP/1.1\r\n${own}\r\n`, 400, 'invalid_request'],
    ['HTTP/2 without an upgrade', () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400, 'invalid_request'],
    [
      'a length and chunks',
      () => `${post}${own}${JSON_TYPE}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      400,
      'invalid_request',
    ],
    [
      'two lengths',
      () => `${post}${own}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`,
      400,
      'invalid_request',
    ],
    ['a negative length', () => `${post}${own}Content-Length: -1\r\n\r\n{}`, 400, 'invalid_request'],
    [
      'chunks under another coding',
      () => `${post}${own}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n`,
      400,
      'invalid_request',
    ],
    [
      'a folded header',
      () => `GET /api/v1/me HTTP/1.1\r\n${own}X-A: a\r\n b\r\n\r\n`,
      400,
      'invalid_request',
    ],
    [
      'a space before a colon',
      () => `GET /api/v1/me HTTP/1.1\r\n${own}X-A : a\r\n\r\n`,
      400,
      'invalid_request',
    ],
    ['a NUL in a header', () => `GET /api/v1/me HTTP/1.1\r\n${own}X-A: a\0b\r\n\r\n`, 400, 'invalid_request'],
    [
      'lines without CR',
      () => `GET /api/v1/me HTTP/1.1\n${own.replaceAll('\r', '')}\n`,
      400,
      'invalid_request',
    ],
    [
      'headers of 20 kB',
      () => `GET /api/v1/me HTTP/1.1\r\n${own}X-A: ${'a'.repeat(20_000)}\r\n\r\n`,
      431,
      'headers_too_large',
    ],
  ])('%s is refused as a problem, and the connection ends', async (_name, bytes, status, code) => {
    const { answers, closed } = await sendRaw(app.base, bytes());
    expect(closed).toBe(true);
    expect(answers).toHaveLength(1);
    expectOurs(answers[0]!);
    expect([answers[0]!.status, JSON.parse(answers[0]!.body).code]).toEqual([status, code]);
  });

  test('chunks of another coding are refused, and the connection ends', async () => {
    const body = JSON.stringify({ url: 'https://example.com/coding' });
    const send = (coding: string) =>
      sendRaw(
        app.base,
        `POST /api/v1/links HTTP/1.1\r\n${keepOpen}${JSON_TYPE}Transfer-Encoding: ${coding}\r\n\r\n` +
          `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
      );
    expect((await send('Chunked ')).answers[0]!).toHaveStatus(201);
    for (const coding of ['gzip, chunked', 'gzip', 'identity, chunked', 'chunked, chunked', 'xchunked']) {
      const { answers, closed } = await send(coding);
      expect([coding, closed, answers.length]).toEqual([coding, true, 1]);
      expectOurs(answers[0]!);
      expect([answers[0]!.status, JSON.parse(answers[0]!.body).code]).toEqual([400, 'invalid_request']);
    }
    const links = await fetch(`${app.base}/api/v1/links`, {
      headers: { authorization: `Bearer ${home.key}` },
    });
    expect(await links.json()).toMatchObject({ data: [{ url: 'https://example.com/coding' }] });
  });

  test('a request hidden in the body of a GET is not carried out', async () => {
    const hidden = `POST /api/v1/webhooks HTTP/1.1\r\n${own}\r\n`;
    const bytes = `GET /api/v1/models HTTP/1.1\r\n${keepOpen}Content-Length: ${hidden.length}\r\n\r\n${hidden}`;
    expect(await getCodes(bytes)).toEqual([200, 'ok']);
  });

  test('requests in one packet are answered each, in order', async () => {
    const get = (path: string) => `GET /api/v1${path} HTTP/1.1\r\n${keepOpen}\r\n`;
    expect(await getCodes(get('/me') + get('/nothing') + get('/me'))).toEqual([
      200,
      'ok',
      404,
      'not_found',
      200,
      'ok',
    ]);
  });

  test('an expectation that is not known does not matter', async () => {
    expect(await getCodes(`GET /api/v1/me HTTP/1.1\r\n${own}Expect: wonders\r\n\r\n`)).toEqual([200, 'ok']);
  });

  test('bytes that are not UTF-8 are no JSON', async () => {
    const body = Buffer.from('{"model":"a\xff\xfe","messages":[]}', 'latin1');
    const head = `${post}${own}${JSON_TYPE}Content-Length: ${body.length}\r\n\r\n`;
    expect(await getCodes(Buffer.concat([Buffer.from(head), body]))).toEqual([400, 'invalid_json']);
  });

  test('a body that ends early is the caller’s affair, not an alarm', async () => {
    const socket = net.connect(Number(new URL(app.base).port), '127.0.0.1');
    socket.write(`${post}${own}${JSON_TYPE}Content-Length: 2000\r\n\r\n{"model"`);
    await sleep(100);
    socket.destroy();
    await sleep(100);
    expect(app.logged.filter((line) => JSON.parse(line).level >= 50)).toEqual([]);
  });
});

describe('target', () => {
  test.each([
    [
      'an absolute address, though the header Host is ours',
      'http://evil.example/api/v1/me',
      [421, 'misdirected_request'],
    ],
    ['an absolute address of this server', 'http://localhost:9/api/v1/me', [200, 'ok']],
    ['an absolute address in capitals', 'HTTP://LOCALHOST/api/v1/me', [200, 'ok']],
    ['an absolute address with a query', 'http://localhost/api/v1/me?x=1', [400, 'invalid_request']],
    ['an absolute address without a path', 'http://localhost?x=1', [404, 'not_found']],
    ['an absolute address with a user', 'http://localhost@evil.example/api/v1/me', [400, 'invalid_request']],
    ['an absolute address without a host', 'http:///api/v1/me', [404, 'not_found']],
    ['an absolute address with a fragment', 'http://localhost/api/v1/me#x', [400, 'invalid_request']],
    ['another scheme', 'ftp://localhost/api/v1/me', [400, 'invalid_request']],
    ['no path', 'api/v1/me', [400, 'invalid_request']],
    ['a fragment', '/api/v1/me#x', [400, 'invalid_request']],
    ['a fragment that looks like a query', '/api/v1/audit-log#actor_id=%00', [400, 'invalid_request']],
    ['a path that cannot be decoded', '/api/v1/api-keys/%E0%A4%A', [404, 'not_found']],
    ['a part of 600 characters', `/api/v1/api-keys/${'a'.repeat(600)}`, [404, 'not_found']],
    ['a doubled slash', '//api/v1/me', [404, 'not_found']],
    ['dots', '/x/../api/v1/me', [404, 'not_found']],
    ['a slash at the end', '/api/v1/me/', [404, 'not_found']],
    ['an encoded slash', '/api/v1%2fme', [404, 'not_found']],
    ['another case', '/API/v1/me', [404, 'not_found']],
    ['NUL', '/api/v1/api-keys/%00', [404, 'not_found']],
    ['all', '*', [404, 'not_found']],
  ])('%s', async (_name, target, expected) => {
    expect(await getCodes(`GET ${target} HTTP/1.1\r\n${own}\r\n`)).toEqual(expected);
  });

  test('of an absolute address counts, and the header Host does not', async () => {
    const get = (target: string, host: string) =>
      getCodes(
        `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${home.key}\r\nConnection: close\r\n\r\n`,
      );
    expect(await get('http://localhost/api/v1/me', 'evil.example')).toEqual([200, 'ok']);
    expect(await get('http://evil.example/healthz', 'localhost')).toEqual([200, 'ok']);
    expect(await get('http://evil.example/openapi.json', 'localhost')).toEqual([421, 'misdirected_request']);
  });

  test('raw bytes beyond ASCII', async () => {
    const bytes = Buffer.from(`GET /api/v1/m\xe9 HTTP/1.1\r\n${own}\r\n`, 'latin1');
    expect((await getCodes(bytes))[0]).toBe(400);
  });
});

describe('method', () => {
  test.each(['TRACE', 'PROPFIND', 'QUERY', 'LINK'])('%s is possible nowhere', async (method) => {
    const { answers } = await sendRaw(app.base, `${method} /api/v1/me HTTP/1.1\r\n${own}\r\n`);
    expectOurs(answers[0]!);
    expect(answers[0]!.status, app.logged.at(-1)).toBe(405);
    expect(answers[0]!.headers.allow).toBe('GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS');
    expect(answers[0]!.body).not.toContain(home.key);
  });

  test('CONNECT opens nothing', async () => {
    const { answers, closed } = await sendRaw(app.base, `CONNECT localhost:1 HTTP/1.1\r\n${own}\r\n`);
    expect([answers, closed]).toEqual([[], true]);
  });
});

describe('host', () => {
  const get = (host: string | null, path = '/api/v1/me', version = '1.1') =>
    getCodes(
      `GET ${path} HTTP/${version}\r\n${host === null ? '' : `Host: ${host}\r\n`}Authorization: Bearer ${home.key}\r\nConnection: close\r\n\r\n`,
    );

  test.each(['localhost', 'LOCALHOST:80', '127.0.0.1:9', '[::1]:3000', '127.9.9.9'])(
    'while BASE_URL is unset %s is ours',
    async (host) => {
      expect(await get(host)).toEqual([200, 'ok']);
    },
  );

  test.each([
    'evil.example',
    '',
    'localhost.evil.example',
    'localhost:1@evil.example',
    'evil.example:127.0.0.1',
    '127.0.0.1.evil.example',
    'localhost evil.example',
    '0.0.0.0',
    '[::]',
    '2130706433',
  ])('"%s" is not', async (host) => {
    expect(await get(host)).toEqual([421, 'misdirected_request']);
    expect(await get(host, '/api/v1/%zz')).toEqual([421, 'misdirected_request']);
  });

  test('none at all is not', async () => {
    expect(await get(null)).toEqual([421, 'misdirected_request']);
    expect(await get(null, '/api/v1/me', '1.0')).toEqual([421, 'misdirected_request']);
  });

  test('health is answered under any name, and for nothing but its own path', async () => {
    expect(await get('10.0.0.7', '/healthz')).toEqual([200, 'ok']);
    expect(await get(null, '/readyz')).toEqual([200, 'ok']);
    for (const path of ['/healthz/x', '/healthz;x', '//healthz', '/api/v1/healthz', '/openapi.json'])
      expect(await get('10.0.0.7', path)).toEqual([421, 'misdirected_request']);
  });

  test('forwarding headers of a caller who is no trusted proxy count for nothing', async () => {
    const forged =
      'X-Forwarded-Host: evil.example\r\nX-Forwarded-Proto: https\r\nForwarded: host=evil.example\r\n';
    const { answers } = await sendRaw(app.base, `GET /openapi.json HTTP/1.1\r\n${own}${forged}\r\n`);
    expect(answers[0]!).toHaveStatus(200);
    expect(answers[0]!.body).not.toContain('evil.example');
  });
});
