import { once } from 'node:events';
import type http from 'node:http';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, expect, test, vi } from 'vitest';
import { allowing, startEgress, startHttp, startTcp } from '../../../test/support/egress.ts';
import { DriverError } from '../contract/driver-error.ts';
import { type ApiDefaults, createApiClient } from './client.ts';
import { createDownload } from './download.ts';
import { classifyStatus, readRetryAfter } from './failures.ts';
import { type MultipartFile } from './multipart.ts';
import { startPollLoop } from './poll-loop.ts';
import { createUpload } from './upload.ts';

const SECRET = '123:SECRET';
const defaults: ApiDefaults = {
  title: 'Example',
  timeoutMs: 20_000,
  maxAnswerBytes: 1000,
  classify: (answer, { isSafe }) => classifyStatus(answer, { isSafe, title: 'Example' }),
};
const never = new AbortController().signal;
const startClient = () => createApiClient(startEgress({ allow: allowing('127.0.0.1') }), defaults);

/** The error of a call, which must be a DriverError without the secret. */
async function toFailure(call: Promise<unknown>): Promise<DriverError> {
  const error = await call.then(
    () => new Error('it went through'),
    (failure: unknown) => failure,
  );
  if (!(error instanceof DriverError)) throw error;
  expect(`${error.message} ${String(error.cause)} ${error.stack}`).not.toContain('SECRET');
  return error;
}

async function startAnswering(answer: http.RequestListener): Promise<string> {
  const { port } = await startHttp(answer);
  return `http://127.0.0.1:${port}/bot${SECRET}/call`;
}

describe('a call', () => {
  test('returns the answer, parsed where it is JSON', async () => {
    const url = await startAnswering((request, response) => response.end(`{"method":"${request.method}"}`));
    const answer = await startClient().call({ method: 'POST', url, body: '{}', signal: never });
    expect(answer).toMatchObject({ status: 200, json: { method: 'POST' } });
    const plain = await startAnswering((_, response) => response.end('hello'));
    expect((await startClient().call({ method: 'GET', url: plain, signal: never })).json).toBeUndefined();
  });

  test.each([
    [401, 'refused', 'refused'],
    [404, 'rejected', 'rejected'],
    [429, 'busy', 'busy'],
    [302, 'rejected', 'rejected'],
    [500, 'unknown', 'busy'],
    [503, 'busy', 'busy'],
  ])('answered with %i is %s, and %s if it is safe', async (status, unsafe, safe) => {
    const url = await startAnswering((_, response) => response.writeHead(status, { location: '/' }).end());
    const client = startClient();
    expect((await toFailure(client.call({ method: 'POST', url, signal: never }))).kind).toBe(unsafe);
    expect((await toFailure(client.call({ method: 'GET', url, signal: never }))).kind).toBe(safe);
  });

  test('is lost where nothing was sent, and unknown where the connection broke afterwards', async () => {
    const client = startClient();
    const refused = { method: 'POST', url: `http://127.0.0.1:1/bot${SECRET}`, signal: never } as const;
    expect(await toFailure(client.call(refused))).toMatchObject({ kind: 'lost', code: 'connection_refused' });
    const url = await startAnswering((request) => request.socket.destroy());
    expect(await toFailure(client.call({ method: 'POST', url, signal: never }))).toMatchObject({
      kind: 'unknown',
      code: 'no_answer',
    });
    expect((await toFailure(client.call({ method: 'GET', url, signal: never }))).kind).toBe('lost');
    const long = await startAnswering((_, response) => response.end('x'.repeat(1001)));
    expect(await toFailure(client.call({ method: 'POST', url: long, signal: never }))).toMatchObject({
      kind: 'unknown',
      code: 'invalid_answer',
    });
  });

  test('whose answer has too many values is invalid, and an error remains that error', async () => {
    const client = createApiClient(startEgress({ allow: allowing('127.0.0.1') }), {
      ...defaults,
      maxAnswerBytes: 16_000_000,
    });
    const url = await startAnswering((request, response) => {
      if (request.method === 'PUT') response.statusCode = 401;
      response.end(`[${'[],'.repeat(100_000)}[]]`);
    });
    expect(await toFailure(client.call({ method: 'GET', url, signal: never }))).toMatchObject({
      kind: 'lost',
      code: 'invalid_answer',
    });
    expect(await toFailure(client.call({ method: 'POST', url, signal: never }))).toMatchObject({
      kind: 'unknown',
      code: 'invalid_answer',
    });
    expect(await toFailure(client.call({ method: 'PUT', url, signal: never }))).toMatchObject({
      kind: 'refused',
      code: 'authentication_failed',
    });
  });

  test('is given up by its signal and its deadline', async () => {
    const givenUp = new AbortController();
    const url = await startAnswering(() => givenUp.abort());
    const client = startClient();
    const call = client.call({ method: 'POST', url, signal: givenUp.signal });
    expect((await toFailure(call)).kind).toBe('unknown');
    const late = client.call({ method: 'POST', url, timeoutMs: 300, signal: never });
    expect((await toFailure(late)).kind).toBe('unknown');
  });

  test('is refused where the operator does not allow the host', async () => {
    const client = createApiClient(startEgress(), defaults);
    const call = client.call({ method: 'POST', url: `http://127.0.0.1:9/bot${SECRET}`, signal: never });
    expect(await toFailure(call)).toMatchObject({ kind: 'refused', code: 'address_not_allowed' });
  });
});

test('Retry-After is read, within a day', () => {
  expect(readRetryAfter({ 'retry-after': '7' })).toBe(7000);
  expect(readRetryAfter({ 'retry-after': ['Fri Jan  1 00:00:30 2100'] })).toBe(86_400_000);
  expect(readRetryAfter({})).toBeUndefined();
});

describe('an upload', () => {
  const file = (bytes: Buffer, size = bytes.length): MultipartFile => ({
    field: 'photo',
    fileName: 'a "b"\r\nc.png',
    mimeType: 'image/png',
    size,
    open: async () => Readable.from([bytes.subarray(0, 2), bytes.subarray(2)]),
  });
  const startUpload = () => createUpload(startEgress({ allow: allowing('127.0.0.1') }), defaults);
  const upload = (url: string, given: MultipartFile) =>
    startUpload()({ url, fields: { caption: 'é\nb' }, file: given, timeoutMs: 20_000, signal: never });

  test('streams fields and file as a form of known length', async () => {
    let form: FormData | null = null;
    let length = 0;
    const url = await startAnswering(async (request, response) => {
      const body = await buffer(request);
      length = body.length - Number(request.headers['content-length']);
      form = await new Response(body, {
        headers: { 'content-type': request.headers['content-type']! },
      }).formData();
      response.end('{"ok":true}');
    });
    expect((await upload(url, file(Buffer.from('\x89PNG')))).json).toEqual({ ok: true });
    expect(length).toBe(0);
    expect(form!.get('caption')).toBe('é\r\nb');
    const sent = form!.get('photo') as File;
    expect([sent.type, await sent.text()]).toEqual(['image/png', '\x89PNG']);
    expect(sent.name).toContain('a "b"');
  });

  test('is unknown once the file was sent, and lost before', async () => {
    const whole = await startAnswering(async (request) => {
      await buffer(request);
      request.socket.destroy();
    });
    expect((await toFailure(upload(whole, file(Buffer.from('abcd'))))).kind).toBe('unknown');
    const early = await startTcp((socket) => void once(socket, 'data').then(() => socket.destroy()));
    const large = { ...file(Buffer.alloc(0)), size: 50_000_000 };
    large.open = async () =>
      Readable.from(
        (function* () {
          for (let sent = 0; sent < 50; sent++) yield Buffer.alloc(1_000_000);
        })(),
      );
    const failure = await toFailure(upload(`http://127.0.0.1:${early}/bot${SECRET}`, large));
    expect(failure.kind).toBe('lost');
  });

  test('of a file that cannot be read or has another size is busy', async () => {
    const url = await startAnswering(async (request, response) => {
      await buffer(request).catch(() => undefined);
      response.end('{}');
    });
    const broken = { ...file(Buffer.from('abcd')), open: () => Promise.reject(new Error('gone')) };
    expect(await toFailure(upload(url, broken))).toMatchObject({ kind: 'busy', code: 'file_unreadable' });
    for (const size of [3, 5])
      expect(await toFailure(upload(url, file(Buffer.from('abcd'), size)))).toMatchObject({
        kind: 'busy',
        code: 'file_unreadable',
      });
  });
});

describe('a download', () => {
  const download = (url: string, store = async (source: Readable) => (await buffer(source)).length) => {
    const egress = startEgress({ allow: allowing('127.0.0.1') });
    const receiveFile = async (source: Readable) => ({ size: await store(source), sha256: '' });
    const about = { fileName: null, mimeType: null };
    return createDownload(
      { egress, receiveFile },
      'Example',
    )({ url, about, maxBytes: 1000, timeoutMs: 20_000, signal: never });
  };

  test('is streamed into storage', async () => {
    const url = await startAnswering((_, response) => response.end('x'.repeat(1000)));
    expect((await download(url)).size).toBe(1000);
  });

  test('is bounded, with and without an announced length', async () => {
    const announced = await startAnswering((_, response) => response.end('x'.repeat(1001)));
    const chunked = await startAnswering((_, response) => {
      response.write('x'.repeat(900));
      response.end('x'.repeat(900));
    });
    for (const url of [announced, chunked])
      expect(await toFailure(download(url))).toMatchObject({ kind: 'rejected', code: 'too_large' });
  });

  test('fails by what the channel answers, and follows no redirect', async () => {
    for (const [status, kind] of [
      [404, 'rejected'],
      [302, 'rejected'],
      [401, 'refused'],
      [500, 'busy'],
    ] as const) {
      const url = await startAnswering((_, response) => response.writeHead(status, { location: '/' }).end());
      expect((await toFailure(download(url))).kind).toBe(kind);
    }
    const cut = await startAnswering((_, response) => {
      response.writeHead(200, { 'content-length': '900' });
      response.write('x', () => response.destroy());
    });
    expect((await toFailure(download(cut))).kind).toBe('lost');
  });

  test('passes on what fails on our side', async () => {
    const url = await startAnswering((_, response) => response.end('x'));
    const full = new Error('storage is full');
    await expect(download(url, () => Promise.reject(full))).rejects.toBe(full);
  });
});

describe('a poll loop', () => {
  const lost = () => new DriverError('lost', 'connection_refused', 'away');
  const busy = () => new DriverError('busy', 'channel_unavailable', 'away');
  const retry = { firstMs: 1, maxMs: 1 };

  test('handles each result before the next request, and retries what is temporary', async () => {
    const steps: string[] = [];
    const answers = ['a', busy(), busy(), 'b', new DriverError('refused', 'authentication_failed', 'no')];
    const { promise: end, resolve: onEnd } = Promise.withResolvers<unknown>();
    const loop = startPollLoop<string>({
      async fetch() {
        const next = answers.shift()!;
        steps.push(typeof next === 'string' ? `fetch ${next}` : next.kind);
        if (typeof next !== 'string') throw next;
        return next;
      },
      handle: async (result) => void steps.push(`handle ${result}`),
      onEnd,
      retry,
      maxFailures: 3,
    });
    expect(await end).toMatchObject({ kind: 'refused' });
    expect(steps).toEqual(['fetch a', 'handle a', 'busy', 'busy', 'fetch b', 'handle b', 'refused']);
    expect(loop.failures).toBe(1);
    await loop.stop();
  });

  test('ends after repeated failures, and where a result cannot be handled', async () => {
    const failing = Promise.withResolvers<unknown>();
    startPollLoop({
      fetch: () => Promise.reject(busy()),
      handle: async () => {},
      onEnd: failing.resolve,
      retry,
    });
    expect(await failing.promise).toMatchObject({ kind: 'busy' });
    const unhandled = Promise.withResolvers<unknown>();
    startPollLoop({
      fetch: async () => 'x',
      handle: () => Promise.reject(lost()),
      onEnd: unhandled.resolve,
      retry,
    });
    expect(await unhandled.promise).toMatchObject({ kind: 'lost' });
  });

  test('stops in the middle of a request, without an end of its own', async () => {
    const onEnd = vi.fn<(reason: unknown) => void>();
    const handle = vi.fn<() => Promise<void>>();
    const loop = startPollLoop({
      fetch: (signal) => once(signal, 'abort').then(() => Promise.reject(lost())),
      handle,
      onEnd,
    });
    await loop.stop();
    expect([onEnd.mock.calls, handle.mock.calls]).toEqual([[], []]);
  });
});
