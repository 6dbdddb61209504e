import type http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { describe, expect, test, vi } from 'vitest';
import { allowing, startEgress, startHttp, startTcp } from '../../../../test/support/egress.ts';
import { PATIENCE } from '../../../../test/support/patience.ts';
import { TEST_SECRET } from '../../../../test/support/test-app.ts';
import { createSecretBox } from '../../../platform/crypto/secret-box.ts';
import type { UpstreamRequest } from '../contract/upstream.ts';
import { createHttpUpstream } from './http-upstream.ts';
import { sealProviderSecrets } from './provider-secrets.ts';
import { drained } from '../../../../test/support/drained.ts';

const secrets = createSecretBox(TEST_SECRET);
const ROW = {
  workspace_id: '01890000-0000-7000-8000-000000000001',
  id: '01890000-0000-7000-8000-000000000002',
};

function upstreamAt(port: number, path = '/v1', allow = ['127.0.0.1']) {
  const egress = startEgress({ allow: allowing(...allow) });
  const credentials = { api_key: 'sk-1', headers: { 'X-Team': 'red' } };
  const upstream = createHttpUpstream(
    { dispatcher: egress.dispatcher, secrets },
    {
      ...ROW,
      kind: 'openai_compatible',
      base_url: `http://127.0.0.1:${port}${path}`,
      secrets_sealed: sealProviderSecrets(secrets, ROW, credentials),
    },
  );
  return { egress, upstream };
}

const request = (more: Partial<UpstreamRequest> = {}): UpstreamRequest => ({
  operation: 'chat/completions',
  query: '',
  body: Buffer.from('{"model":"small"}'),
  stream: false,
  traceparent: null,
  signal: new AbortController().signal,
  timeoutMs: 30_000,
  partTimeoutMs: 30_000,
  ...more,
});

async function readAll(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString();
}

describe('a call', () => {
  test('sends body, query, credentials and trace, and nothing that asks for compression', async () => {
    const { port } = await startHttp((incoming, response) => {
      incoming.setEncoding('utf8').on('data', (body) => {
        const { method, url, headers } = incoming;
        response.writeHead(201, { 'content-type': 'application/json', 'x-ratelimit-limit': '5' });
        response.end(JSON.stringify({ method, url, headers, body }));
      });
    });
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const { upstream } = upstreamAt(port, '/some/v1');
    const response = await upstream.send(request({ query: '?a=1&b=%20', traceparent }));
    expect(response).toHaveStatus(201);
    expect(response.headers).toMatchObject({ 'x-ratelimit-limit': '5' });
    const { headers, ...sent } = JSON.parse(await readAll(response.body));
    expect(sent).toEqual({
      method: 'POST',
      url: '/some/v1/chat/completions?a=1&b=%20',
      body: '{"model":"small"}',
    });
    expect(headers).toMatchObject({
      host: `127.0.0.1:${port}`,
      authorization: 'Bearer sk-1',
      'x-team': 'red',
      'content-type': 'application/json',
      'content-length': '17',
      'accept-encoding': 'identity',
      'user-agent': 'Fairlead',
      traceparent,
    });
  });

  test('passes chunks on as they come, and keeps its connection', async () => {
    let stream: http.ServerResponse | null = null;
    const { port, connections } = await startHttp((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: 1\n\n');
      stream = response;
    });
    const { upstream } = upstreamAt(port);
    for (let nth = 0; nth < 3; nth++) {
      const { body } = await upstream.send(request({ stream: true }));
      const iterator = body[Symbol.asyncIterator]();
      expect(String((await iterator.next()).value)).toBe('data: 1\n\n');
      stream!.write('data: 2\n\n');
      expect(String((await iterator.next()).value)).toBe('data: 2\n\n');
      stream!.end();
      expect(await iterator.next()).toEqual({ done: true, value: undefined });
    }
    expect(connections()).toBeLessThanOrEqual(2);
  });

  test('gives a reader all pieces that wait as one', async () => {
    const pieces = Array.from({ length: 100 }, (_, nth) => `data: ${nth}\n\n`);
    const { port } = await startHttp((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const piece of pieces) response.write(piece);
      response.end();
    });
    const { body } = await upstreamAt(port).upstream.send(request());
    const chunks: string[] = [];
    for await (const chunk of body) {
      chunks.push(Buffer.from(chunk).toString());
      // Until all others are there.
      if (chunks.length === 1) await sleep(200);
    }
    expect(chunks.join('')).toBe(pieces.join(''));
    expect(chunks.length).toBeLessThan(10);
  });

  test('keeps status and body of an error', async () => {
    const { port } = await startHttp((_, response) => {
      response.writeHead(429, { 'retry-after': '7' }).end('{"error":{"message":"slow down"}}');
    });
    const { status, headers, body } = await upstreamAt(port).upstream.send(request());
    expect([status, headers['retry-after'], await readAll(body)]).toEqual([
      429,
      '7',
      '{"error":{"message":"slow down"}}',
    ]);
  });
});

test('a reader that does not read slows the provider down, and then gets every byte', async () => {
  const BYTES = 64 * 1024 * 1024;
  const piece = Buffer.alloc(64 * 1024, ' ');
  let sent = 0;
  let isBlocked = false;
  const { port } = await startHttp(async (_, response) => {
    response.writeHead(200);
    while (sent < BYTES && !response.destroyed) {
      sent += piece.length;
      if (response.write(piece)) continue;
      isBlocked = true;
      await drained(response);
      isBlocked = false;
    }
    response.end();
  });
  const { body } = await upstreamAt(port).upstream.send(request());
  let before = -1;
  await vi.waitFor(() => {
    const isStill = isBlocked && sent === before;
    before = sent;
    expect(isStill).toBe(true);
  }, PATIENCE);
  expect(sent).toBeLessThan(BYTES / 2);
  let received = 0;
  for await (const chunk of body) received += chunk.length;
  expect(received).toBe(BYTES);
});

describe('a caller that leaves', () => {
  const hanging = (onClose: () => void, begin: (response: http.ServerResponse) => void) =>
    startHttp((_, response) => {
      response.on('close', onClose);
      begin(response);
    });

  test('before the response ends the request at the provider', async () => {
    const closed = vi.fn<() => void>();
    const received = vi.fn<() => void>();
    const { port } = await hanging(closed, received);
    const caller = new AbortController();
    const sending = upstreamAt(port).upstream.send(request({ signal: caller.signal }));
    await vi.waitFor(() => expect(received).toHaveBeenCalled(), PATIENCE);
    caller.abort();
    await expect(sending).rejects.toMatchObject({ name: 'UpstreamError', code: 'aborted' });
    await vi.waitFor(() => expect(closed).toHaveBeenCalled(), PATIENCE);
  });

  test('within the response ends it too, with what waited for the reader dropped', async () => {
    const closed = vi.fn<() => void>();
    const { port } = await hanging(closed, (response) => void response.writeHead(200).write('one'));
    const caller = new AbortController();
    const { body } = await upstreamAt(port).upstream.send(request({ signal: caller.signal }));
    const iterator = body[Symbol.asyncIterator]();
    await iterator.next();
    const next = iterator.next();
    caller.abort();
    await expect(next).rejects.toMatchObject({ code: 'aborted' });
    await vi.waitFor(() => expect(closed).toHaveBeenCalled(), PATIENCE);
  });

  test('by reading no further ends it too', async () => {
    const closed = vi.fn<() => void>();
    const { port } = await hanging(closed, (response) => void response.writeHead(200).write('one'));
    const { egress, upstream } = upstreamAt(port);
    const { body } = await upstream.send(request());
    for await (const _ of body) break;
    await vi.waitFor(() => expect(closed).toHaveBeenCalled(), PATIENCE);
    await vi.waitFor(() => expect(egress.stats().connections).toBe(0), PATIENCE);
  });

  test('before anything was sent makes no connection', async () => {
    const { port, connections } = await startHttp((_, response) => response.end());
    const sending = upstreamAt(port).upstream.send(request({ signal: AbortSignal.abort() }));
    await expect(sending).rejects.toMatchObject({ code: 'aborted' });
    expect(connections()).toBe(0);
  });
});

describe('a provider that', () => {
  const getCode = (sending: Promise<unknown>) =>
    sending.then(
      () => 'none',
      (error: { code: string }) => error.code,
    );

  test('does not respond in time is given up', async () => {
    const { port } = await startHttp(() => {});
    expect(await getCode(upstreamAt(port).upstream.send(request({ timeoutMs: 20 })))).toBe('timeout');
  });

  test('sends nothing more in time is given up', async () => {
    const { port } = await startHttp((_, response) => void response.writeHead(200).write(' '));
    const { body } = await upstreamAt(port).upstream.send(request({ partTimeoutMs: 200 }));
    await expect(readAll(body)).rejects.toMatchObject({
      code: 'timeout',
      message: 'The provider sent nothing more within 0.2 s.',
    });
  });

  test('is waited for by a slow reader is not', async () => {
    const { port } = await startHttp((_, response) => void response.writeHead(200).write('  '));
    const { body } = await upstreamAt(port).upstream.send(request({ partTimeoutMs: 300 }));
    const iterator = body[Symbol.asyncIterator]();
    await sleep(1_000);
    expect(String((await iterator.next()).value)).toBe('  ');
    await iterator.return!();
  });

  test('closes in the middle breaks off the body after what came', async () => {
    const { port } = await startHttp((_, response) => {
      response.writeHead(200, { 'content-length': '10' }).write('half');
      setImmediate(() => response.destroy());
    });
    const { body } = await upstreamAt(port).upstream.send(request());
    const received: string[] = [];
    const reading = (async () => {
      for await (const chunk of body) received.push(String(chunk));
    })();
    await expect(reading).rejects.toMatchObject({
      code: 'broken',
      message: 'The remote server closed the connection before its response was complete.',
    });
    expect(received).toEqual(['half']);
  });

  test.each([
    ['refuses', 'refused', async () => 1],
    [
      'speaks something else',
      'broken',
      async () => await startTcp((socket) => void socket.end('hello\r\n\r\n')),
    ],
    ['closes', 'broken', async () => await startTcp((socket) => void socket.destroy())],
  ])('%s is %s', async (_, code, start) => {
    const started = await start();
    const port = typeof started === 'number' ? started : (started as { port: number }).port;
    expect(await getCode(upstreamAt(port).upstream.send(request()))).toBe(code);
  });

  test('is at an address that is not allowed is not connected to', async () => {
    const { port, connections } = await startHttp((_, response) => response.end());
    expect(await getCode(upstreamAt(port, '/v1', []).upstream.send(request()))).toBe('address_not_allowed');
    expect(connections()).toBe(0);
  });

  test('redirects is not followed', async () => {
    const { port } = await startHttp((_, response) => {
      response.writeHead(307, { location: 'http://127.0.0.1/' }).end();
    });
    await expect(upstreamAt(port).upstream.send(request())).rejects.toMatchObject({
      code: 'broken',
      message: 'The provider responded with a redirect (307). Check its base URL.',
    });
  });

  test('compresses although nobody asked is rejected', async () => {
    const { port } = await startHttp((_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('{}'));
    });
    expect(await getCode(upstreamAt(port).upstream.send(request()))).toBe('broken');
  });
});
