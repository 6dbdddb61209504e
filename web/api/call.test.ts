/** What calls ask of the server, and what becomes of its answers. */
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { get, pathWith, send } from './call.ts';
import { ApiProblem } from './problem.ts';

const realFetch = globalThis.fetch;
let stop = (): void => undefined;

/** Starts a server at which the paths of the console are looked up. */
async function serve(listener: RequestListener): Promise<void> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await new Promise((done) => server.once('listening', done));
  const { port } = server.address() as AddressInfo;
  vi.stubGlobal('fetch', (path: string, init: RequestInit) =>
    realFetch(new URL(path, `http://127.0.0.1:${port}`), init),
  );
  stop = () => void server.close();
}

afterEach(() => {
  vi.unstubAllGlobals();
  stop();
});

const link = (id: string) => get('/links/{id}/clicks', { path: { id } });
const getAsked = (path: string): string => new URL(`/api/v1${path}`, 'http://localhost').pathname;

test.each(['.', '..', '../me', '%2e%2e', 'a/b', '?a=b', '#a', '{id}', '$&', '$1', 'ü', ' '])(
  'an ID from the address, %j, stays one part of the path',
  (id) => {
    const parts = getAsked(link(id).path).split('/');
    expect(parts).toHaveLength(6);
    expect([...parts.slice(0, 4), parts[5]]).toEqual(['', 'api', 'v1', 'links', 'clicks']);
    expect(parts[4]).not.toBe('');
  },
);

test('a query has what has a value, encoded', () => {
  expect(pathWith('/links', { search: undefined })).toBe('/links');
  const path = pathWith('/links?limit=5', { search: 'a&b=c #ü', enabled: false, q: '' });
  const { searchParams } = new URL(path, 'http://localhost');
  expect(Object.fromEntries(searchParams)).toEqual({
    limit: '5',
    search: 'a&b=c #ü',
    enabled: 'false',
    q: '',
  });
});

test('a page that a proxy answers in place of the API is a problem, whatever it is called', async () => {
  for (const type of ['text/html', 'application/json']) {
    await serve((_request, response) => {
      response.writeHead(200, { 'content-type': type, 'fairlead-request-id': 'req_1' });
      response.end('<!doctype html><title>Sign in</title>');
    });
    const failure = await send('ws_1', get('/me')).catch((error: unknown) => error);
    expect(failure, type).toBeInstanceOf(ApiProblem);
    expect(failure).toMatchObject({ status: 200, requestId: 'req_1' });
    stop();
  }
});

test('an answer without a body is undefined, and one in text is asked for', async () => {
  await serve(({ url }, response) => {
    if (url === '/api/v1/usage') return response.writeHead(204).end();
    response.writeHead(200, { 'content-type': 'image/svg+xml' });
    return response.end('<svg/>');
  });
  expect(await send('ws_1', get('/usage'))).toBeUndefined();
  expect(await send('ws_1', get('/me'), { isText: true })).toBe('<svg/>');
});

test('an answer that breaks off is no answer', async () => {
  await serve((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
    response.write('{"a":', () => response.destroy());
  });
  await expect(send('ws_1', get('/me'))).rejects.toMatchObject({ code: 'network', status: 0 });
});

test('an abort is passed on as it is', async () => {
  await serve(() => undefined);
  const leaving = new AbortController();
  const answer = send('ws_1', get('/me'), { signal: leaving.signal });
  leaving.abort();
  await expect(answer).rejects.toMatchObject({ name: 'AbortError' });
});
