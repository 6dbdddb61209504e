import type http from 'node:http';
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import type { EgressRequest } from './egress.ts';
import {
  allowing,
  CERTIFICATE,
  toError,
  pretendInternet,
  startEgress,
  startHttp,
  startTcp,
  startTls,
} from '../../../test/support/egress.ts';

const local = { allow: allowing('127.0.0.1') };
const ask = (port: number, more: Partial<EgressRequest> = {}): EgressRequest => ({
  url: `http://127.0.0.1:${port}/hook?a=1#part`,
  method: 'POST',
  headers: { 'content-type': 'text/plain' },
  body: 'hello',
  timeoutMs: 3000,
  maxAnswerBytes: 1000,
  ...more,
});

describe('an exchange', () => {
  test('sends what was given and answers what came', async () => {
    const { port } = await startHttp((request, response) => {
      request.setEncoding('utf8').on('data', (body) => {
        const { method, url, headers } = request;
        response.writeHead(201, { 'x-seen': 'yes', 'set-cookie': ['a=1', 'b=2'] });
        response.end(
          JSON.stringify({ method, url, body, host: headers.host, type: headers['content-type'] }),
        );
      });
    });
    const answer = await startEgress(local).request(ask(port));
    expect(answer).toMatchObject({ status: 201, truncated: false, remoteAddress: '127.0.0.1' });
    expect(answer.headers).toMatchObject({ 'x-seen': 'yes', 'set-cookie': ['a=1', 'b=2'] });
    expect(JSON.parse(answer.body.toString())).toEqual({
      method: 'POST',
      url: '/hook?a=1',
      body: 'hello',
      host: `127.0.0.1:${port}`,
      type: 'text/plain',
    });
  });

  test('reuses its connection, and forgets an origin that is not used', async () => {
    const { port, connections } = await startHttp((_, response) => response.end('ok'));
    const egress = startEgress({ ...local, limits: { keepAliveMs: 300 } });
    for (let n = 0; n < 20; n += 1) await egress.request(ask(port));
    // undici lets a connection rest for one turn of the loop, so two take turns.
    expect(connections()).toBeLessThanOrEqual(2);
    expect(egress.stats().origins).toBe(1);
    await vi.waitFor(() => expect(egress.stats()).toEqual({ origins: 0, connections: 0, requests: 0 }), 5000);
  });

  test('origins that never connect leave nothing behind either', async () => {
    const egress = startEgress();
    const calls = Array.from({ length: 200 }, (_, n) => toError(egress.request(ask(n + 1))));
    expect(new Set((await Promise.all(calls)).map(({ code }) => code))).toEqual(
      new Set(['address_not_allowed']),
    );
    const bad = toError(egress.request(ask(7, { headers: { 'x-a': 'b\r\nx-c: d' } })));
    expect((await bad).code).toBe('invalid_request');
    await vi.waitFor(() => expect(egress.stats()).toEqual({ origins: 0, connections: 0, requests: 0 }));
  });

  test('opens no more connections to an origin than it may; the others wait their turn', async () => {
    const { port, connections } = await startHttp((_, response) => void setTimeout(() => response.end(), 20));
    const egress = startEgress({ ...local, limits: { connectionsPerOrigin: 3 } });
    const answers = await Promise.all(Array.from({ length: 30 }, () => egress.request(ask(port))));
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    expect(connections()).toBe(3);
  });

  test('long polls have connections of their own, however many wait at one origin', async () => {
    const waiting: http.ServerResponse[] = [];
    const { port, connections } = await startHttp((request, response) => {
      if (request.url === '/poll') waiting.push(response);
      else response.end('now');
    });
    const egress = startEgress({ ...local, limits: { connectionsPerOrigin: 2, keptConnections: 2 } });
    const poll = () =>
      egress.request({ ...ask(port), url: `http://127.0.0.1:${port}/poll`, isLongPoll: true });
    const polls = Array.from({ length: 700 }, poll);
    await vi.waitFor(() => expect(waiting).toHaveLength(700), { timeout: 60_000 });
    expect((await egress.request(ask(port))).body.toString()).toBe('now');
    for (const response of waiting.splice(0)) response.end();
    expect((await Promise.all(polls)).every(({ status }) => status === 200)).toBe(true);
    const opened = connections();
    const again = Array.from({ length: 700 }, poll);
    await vi.waitFor(() => expect(waiting).toHaveLength(700), { timeout: 60_000 });
    // Each is used again.
    expect(connections()).toBe(opened);
    for (const response of waiting) response.end();
    await Promise.all(again);
  });

  test('a long poll that is aborted, or whose egress is closed, before it is sent ends', async () => {
    const { port, connections } = await startHttp((_, response) => response.end('now'));
    const egress = startEgress(local);
    const leaving = new AbortController();
    const left = toError(egress.request(ask(port, { isLongPoll: true, signal: leaving.signal })));
    leaving.abort();
    expect((await left).code).toBe('aborted');
    const late = toError(egress.request(ask(port, { isLongPoll: true })));
    await egress.close();
    expect((await late).code).toMatch(/./);
    expect(connections()).toBe(0);
  });

  test('closes its connection while there are more than may be kept', async () => {
    const { port } = await startHttp((request, response) => response.end(request.headers.connection));
    const kept = await startEgress(local).request(ask(port));
    const closed = await startEgress({ ...local, limits: { keptConnections: 0 } }).request(ask(port));
    expect([kept.body.toString(), closed.body.toString()]).toEqual(['keep-alive', 'close']);
  });

  test('does not follow a redirect', async () => {
    const inner = vi.fn<http.RequestListener>();
    const { port: innerPort } = await startHttp(inner);
    const { port } = await startHttp((_, response) => {
      response.writeHead(302, { location: `http://127.0.0.1:${innerPort}/` }).end('see there');
    });
    const answer = await startEgress({ allow: allowing(`127.0.0.1:${port}`) }).request(ask(port));
    expect(answer).toHaveStatus(302);
    expect(answer.headers.location).toBe(`http://127.0.0.1:${innerPort}/`);
    expect(inner).not.toHaveBeenCalled();
  });

  test.each([
    ['credentials', 'http://user:secret@127.0.0.1/'],
    ['a user alone', 'http://user@127.0.0.1/'],
    ['port 0', 'http://127.0.0.1:0/'],
    ['another scheme', 'file:///etc/passwd'],
    ['no URL', '/path'],
  ])('%s in its URL is refused', async (_, url) => {
    const error = await toError(startEgress(local).request(ask(1, { url })));
    expect(error.code).toBe('invalid_url');
    expect(error.detail).not.toContain('secret');
  });

  test.each([
    ['CONNECT', { method: 'CONNECT' }],
    ['a Host header', { headers: { host: 'other.test' } }],
    ['a Host header in capitals', { headers: { HOST: 'other.test' } }],
    ['a line break in a header', { headers: { 'x-a': 'b\r\nx-c: d' } }],
    ['Transfer-Encoding', { headers: { 'transfer-encoding': 'chunked' } }],
    ['another length', { headers: { 'content-length': '3' } }],
  ])('%s is refused', async (_, more) => {
    const { port, connections } = await startHttp((_request, response) => response.end());
    const egress = startEgress(local);
    expect((await toError(egress.request(ask(port, more)))).code).toBe('invalid_request');
    expect(connections()).toBeLessThanOrEqual(1);
  });
});

describe('a bad receiver', () => {
  test('whose answer is longer than wanted: cut, and the connection is used again where little is left', async () => {
    const { port, connections } = await startHttp((_, response) => response.end('x'.repeat(5000)));
    const egress = startEgress(local);
    for (let n = 0; n < 10; n += 1) {
      const answer = await egress.request(ask(port));
      expect(answer).toMatchObject({ status: 200, truncated: true });
      expect(answer.body.toString()).toBe('x'.repeat(1000));
    }
    expect(connections()).toBeLessThanOrEqual(2);
  });

  test('that answers exactly as much as wanted is not cut', async () => {
    const { port } = await startHttp((_, response) => response.end('x'.repeat(1000)));
    expect(await startEgress(local).request(ask(port))).toMatchObject({ truncated: false });
  });

  test('that sends without end: cut, and its connection is closed', async () => {
    const closed = vi.fn<() => void>();
    let sent = 0;
    const { port } = await startHttp((_, response) => {
      const more = (): void => {
        if (response.destroyed) return;
        sent += 10_000;
        response.write('x'.repeat(10_000), more);
      };
      response.on('close', closed);
      more();
    });
    const answer = await startEgress(local).request(ask(port));
    expect(answer).toMatchObject({ status: 200, truncated: true });
    expect(answer.body.length).toBe(1000);
    await vi.waitFor(() => expect(closed).toHaveBeenCalled());
    expect(sent).toBeLessThan(20e6); // data in the buffers of the system; at full speed there would be far more
  });

  test('that dribbles after what is wanted: cut shortly, and its connection is closed', async () => {
    const closed = vi.fn<() => void>();
    const { port } = await startHttp((_, response) => {
      const timer = setInterval(() => response.write('x'), 20);
      response.write('x'.repeat(1000));
      response.on('close', () => {
        clearInterval(timer);
        closed();
      });
    });
    const answer = await startEgress(local).request(ask(port, { timeoutMs: 600_000 }));
    expect(answer).toMatchObject({ status: 200, truncated: true });
    await vi.waitFor(() => expect(closed).toHaveBeenCalled());
  });

  test.each([
    ['never accepts a byte', (): void => undefined],
    [
      'never ends its headers',
      (socket: NodeJS.WritableStream) => void socket.write('HTTP/1.1 200 OK\r\nx: '),
    ],
    [
      'never ends its body',
      (socket: NodeJS.WritableStream) => void socket.write('HTTP/1.1 200 OK\r\n\r\nabc'),
    ],
    [
      'dribbles its headers for ever',
      (socket: NodeJS.WritableStream) => {
        socket.write('HTTP/1.1 200 OK\r\n');
        const timer = setInterval(() => socket.write('x: y\r\n'), 20);
        socket.on('close', () => clearInterval(timer));
      },
    ],
    [
      'dribbles its body for ever',
      (socket: NodeJS.WritableStream) => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 900\r\n\r\n');
        const timer = setInterval(() => socket.write('x'), 20);
        socket.on('close', () => clearInterval(timer));
      },
    ],
  ])('that %s meets the deadline', async (_, serve) => {
    const closed = vi.fn<() => void>();
    const port = await startTcp((socket) => {
      socket.resume().on('close', closed);
      serve(socket);
    });
    const egress = startEgress(local);
    const began = performance.now();
    const error = await toError(egress.request(ask(port, { timeoutMs: 300 })));
    expect(error).toMatchObject({ code: 'timeout', remoteAddress: '127.0.0.1' });
    expect(performance.now() - began).toBeGreaterThanOrEqual(299);
    await vi.waitFor(() => expect(closed).toHaveBeenCalled());
    expect(egress.stats().requests).toBe(0);
  });

  test('whose address never answers meets the deadline, and what waits behind it costs no connection', async () => {
    const dialled: string[] = [];
    const stuck = startEgress({
      limits: { connectionsPerOrigin: 1, connectTimeoutMs: 400 },
      openSocket(address) {
        dialled.push(address);
        return new net.Socket(); // never connected
      },
    });
    const calls = Array.from({ length: 20 }, () =>
      toError(stuck.request(ask(1, { url: 'http://8.8.8.8/', timeoutMs: 150 }))),
    );
    expect(new Set((await Promise.all(calls)).map(({ code }) => code))).toEqual(new Set(['timeout']));
    await vi.waitFor(() => expect(stuck.stats().origins).toBe(0));
    expect(dialled).toHaveLength(1);
  });

  test('gets no request that is called back when its turn comes', async () => {
    const seen: (string | undefined)[] = [];
    const { promise: goesOn, resolve: goOn } = Promise.withResolvers<void>();
    const { port } = await startHttp(async (request, response) => {
      seen.push(request.url);
      await goesOn;
      response.end();
    });
    const egress = startEgress({ ...local, limits: { connectionsPerOrigin: 1 } });
    const send = (name: string, more: object = {}) =>
      egress.request(ask(port, { url: `http://127.0.0.1:${port}/${name}`, ...more }));
    const first = send('first');
    const turn = new AbortController();
    const calledBack = toError(send('called-back', { signal: turn.signal, beforeSend: () => turn.abort() }));
    const last = send('last');
    await expect.poll(() => seen).toEqual(['/first']);
    goOn();
    expect(await first).toHaveStatus(200);
    expect((await calledBack).code).toBe('aborted');
    expect(await last).toHaveStatus(200);
    expect(seen).toEqual(['/first', '/last']);
  });

  test('that can be reached only after the deadline gets no request that was given up', async () => {
    const seen: (string | undefined)[] = [];
    const { port } = await startHttp((request, response) => {
      seen.push(request.url);
      response.end();
    });
    const egress = startEgress({
      ...local,
      limits: { connectionsPerOrigin: 1 },
      openSocket(host, at) {
        const socket = new net.Socket();
        setTimeout(() => socket.connect({ host, port: at }), 200);
        return socket;
      },
    });
    const early = toError(
      egress.request(ask(port, { url: `http://127.0.0.1:${port}/early`, timeoutMs: 50 })),
    );
    const late = egress.request(ask(port, { url: `http://127.0.0.1:${port}/late` }));
    expect((await early).code).toBe('timeout');
    expect(await late).toHaveStatus(200);
    expect(seen).toEqual(['/late']);
  });

  test.each([
    ['closes at once', '', 'connection_reset'],
    ['closes in its headers', 'HTTP/1.1 200 OK\r\nx: ', 'connection_reset'],
    ['closes in its body', 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nabc', 'connection_reset'],
    [
      'closes in a chunk',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n9\r\nabc',
      'connection_reset',
    ],
    ['speaks something else', 'SSH-2.0-OpenSSH_9.6\r\n', 'invalid_answer'],
    [
      'gives two lengths',
      'HTTP/1.1 200 OK\r\ncontent-length: 3\r\ncontent-length: 4\r\n\r\nabcd',
      'invalid_answer',
    ],
    [
      'upgrades unasked',
      'HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
      'connection_reset',
    ],
    ['gives hints for ever', 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(100), 'invalid_answer'],
    ['has endless headers', `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}\r\n\r\n`, 'invalid_answer'],
  ])('that %s', async (_, text, code) => {
    const port = await startTcp((socket) => void socket.once('data', () => socket.end(text)));
    const error = await toError(startEgress(local).request(ask(port)));
    expect(error).toMatchObject({ code, remoteAddress: '127.0.0.1' });
    expect(error.detail).toMatch(/^[A-Z][^\n]+\.$/);
  });

  test('that is not there', async () => {
    expect((await toError(startEgress(local).request(ask(1)))).code).toBe('connection_refused');
  });

  test('that answers with a header named __proto__ changes nothing', async () => {
    const port = await startTcp((socket) => {
      socket.once('data', () =>
        socket.end('HTTP/1.1 200 OK\r\n__proto__: a\r\n__proto__: b\r\ncontent-length: 0\r\n\r\n'),
      );
    });
    const { headers } = await startEgress(local).request(ask(port));
    expect(Object.getPrototypeOf(headers)).toBe(Object.prototype);
    expect(({} as Record<string, unknown>).a).toBeUndefined();
  });
});

describe('TLS', () => {
  const serve = (socket: NodeJS.ReadWriteStream): void =>
    void socket.on('data', () => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'));
  const named = { resolve: async () => ['8.8.8.8'], openSocket: pretendInternet().openSocket };

  test('with a certificate that nobody vouches for is refused', async () => {
    const port = await startTls(serve);
    const error = await toError(startEgress(local).request(ask(port, { url: `https://127.0.0.1:${port}/` })));
    expect(error).toMatchObject({ code: 'tls_failed', remoteAddress: '127.0.0.1' });
    expect(error.detail).toContain('self-signed');
  });

  test('with a certificate for another name is refused, whatever Host or options say', async () => {
    const port = await startTls(serve);
    const egress = startEgress({
      ...named,
      tls: { ca: CERTIFICATE, rejectUnauthorized: false, checkServerIdentity: () => undefined },
    });
    const error = await toError(egress.request(ask(port, { url: `https://other.test:${port}/` })));
    expect(error.code).toBe('tls_failed');
    expect(error.detail).toContain('another name');
  });

  test('with a certificate for another address is refused', async () => {
    const port = await startTls(serve);
    const egress = startEgress({ ...named, tls: { ca: CERTIFICATE } });
    const error = await toError(egress.request(ask(port, { url: `https://8.8.8.8:${port}/` })));
    expect(error.detail).toContain('another name');
  });

  test('with a good one works, by name and by address', async () => {
    const port = await startTls(serve);
    const egress = startEgress({ ...named, ...local, tls: { ca: CERTIFICATE } });
    for (const host of ['receiver.test', 'RECEIVER.test.', '127.0.0.1'])
      expect(await egress.request(ask(port, { url: `https://${host}:${port}/` }))).toMatchObject({
        status: 200,
      });
  });

  test('on a port that speaks plainly fails', async () => {
    const { port } = await startHttp((_, response) => response.end());
    const error = await toError(startEgress(local).request(ask(port, { url: `https://127.0.0.1:${port}/` })));
    expect(error.code).toBe('tls_failed');
  });

  test('that never shakes hands meets the deadline of connecting', async () => {
    const port = await startTcp(() => {});
    const egress = startEgress({ ...local, limits: { connectTimeoutMs: 200 } });
    const error = await toError(egress.request(ask(port, { url: `https://127.0.0.1:${port}/` })));
    expect(error.code).toBe('timeout');
  });
});

describe('breaking off', () => {
  test('by signal, before and during', async () => {
    const closed = vi.fn<() => void>();
    const port = await startTcp((socket) => void socket.resume().on('close', closed));
    const egress = startEgress(local);
    expect((await toError(egress.request(ask(port, { signal: AbortSignal.abort() })))).code).toBe('aborted');
    const controller = new AbortController();
    const call = toError(egress.request(ask(port, { signal: controller.signal })));
    await sleep(50);
    controller.abort();
    expect((await call).code).toBe('aborted');
    await vi.waitFor(() => expect(closed).toHaveBeenCalled());
  });

  test('by closing, which leaves no connection', async () => {
    const closed = vi.fn<() => void>();
    const port = await startTcp((socket) => void socket.resume().on('close', closed));
    const egress = startEgress(local);
    const call = toError(egress.request(ask(port)));
    await vi.waitFor(() => expect(egress.stats().requests).toBe(1));
    await sleep(50);
    await egress.close();
    expect((await call).code).toBe('aborted');
    await vi.waitFor(() => expect(closed).toHaveBeenCalled());
    expect((await toError(egress.request(ask(port)))).code).toBe('aborted');
  });
});
