/** How long a request may take to arrive, with a second for the minutes of production. */
import { createHash } from 'node:crypto';
import net from 'node:net';
import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { pino } from 'pino';
import Type from 'typebox';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { readConfig } from '../config/config.ts';
import { BODY_LIMITS, type BodyLimits } from './body-timeout.ts';
import { createServer } from './server.ts';
import { createUploadReader } from './upload.ts';

const BRIEF_IDLE = { ...BODY_LIMITS, idleMs: 1_000, uploadMs: 600_000, checkMs: 100 };
/** Node wants time for headers, which is `idleMs`, to be no longer than for a request. */
const BRIEF_UPLOAD = { ...BODY_LIMITS, idleMs: 1_000, uploadMs: 1_000, checkMs: 100 };
const BEAT_MS = 250;
const FORM = 'content-type: multipart/form-data; boundary=x\r\n';
const FILE = '--x\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n';
const END = '\r\n--x--\r\n';

let briefIdle: FastifyInstance;
let briefUpload: FastifyInstance;
let discarded = 0;
/** Bytes of files that arrived. */
let received = 0;

async function start(limits: BodyLimits): Promise<FastifyInstance> {
  const app = createServer(readConfig({ PORT: '0' }), pino({ level: 'silent' }), undefined, limits);
  const read = createUploadReader({
    fields: Type.Object({}),
    maxBytes: 1_000_000,
    async sink(stream) {
      const hash = createHash('sha256');
      let size = 0;
      try {
        for await (const chunk of stream) {
          hash.update(chunk);
          size += chunk.length;
          received += chunk.length;
        }
      } catch (error) {
        discarded += 1;
        throw error;
      }
      return { sha256: hash.digest(), size, discard: async () => undefined };
    },
  });
  app.addContentTypeParser('multipart/form-data', (request: FastifyRequest) => read(request.raw));
  app.post('/form', (request) => ({ size: (request.body as { file: { size: number } }).file.size }));
  app.post('/json', () => ({ size: 0 }));
  app.post('/early', { onRequest: (_request, reply) => void reply.code(202).send('{}') }, () => '');
  await app.listen({ host: '127.0.0.1', port: 0 });
  return app;
}

beforeAll(async () => {
  briefIdle = await start(BRIEF_IDLE);
  briefUpload = await start(BRIEF_UPLOAD);
});
afterAll(async () => {
  await briefIdle.close();
  await briefUpload.close();
});

function connect(app: FastifyInstance, path: string, headers: string) {
  const { port } = app.server.address() as net.AddressInfo;
  const socket = net.connect(port, '127.0.0.1');
  const startedAt = performance.now();
  let text = '';
  const closed = new Promise<{ ms: number; status: number; text: string }>((resolve) => {
    socket.on('data', (chunk) => (text += chunk.toString())).on('error', () => undefined);
    socket.on('close', () => {
      const status = Number(/^HTTP\/1.1 (\d+)/.exec(text)?.[1] ?? 0);
      resolve({ ms: performance.now() - startedAt, status, text });
    });
  });
  socket.write(`POST ${path} HTTP/1.1\r\nhost: localhost\r\n${headers}`);
  return { socket, closed };
}

/** Sends a head, then pieces in a steady beat, until there are no more or the server ends the connection. */
async function send(app: FastifyInstance, path: string, headers: string, pieces: string[] | (() => string)) {
  const { socket, closed } = connect(app, path, headers);
  for (let at = 0; !socket.destroyed; at++) {
    const piece = Array.isArray(pieces) ? pieces[at] : pieces();
    if (piece === undefined) break;
    socket.write(piece);
    await Promise.race([delay(BEAT_MS), closed]);
  }
  return closed;
}

const chunked = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;

describe('a file', () => {
  test('may take longer than anything else as long as it comes', async () => {
    const pieces = Array.from({ length: 8 }, () => 'abcd');
    const length = [FILE, ...pieces, END].join('').length;
    // The server's time moves only when a piece has arrived, so that no busy machine makes a piece late.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const headers = `${FORM}connection: close\r\ncontent-length: ${length}\r\n\r\n`;
      const { socket, closed } = connect(briefIdle, '/form', headers);
      socket.write(FILE);
      for (const piece of pieces) {
        const before = received;
        socket.write(piece);
        while (received < before + piece.length) await turn();
        vi.advanceTimersByTime(BEAT_MS);
      }
      socket.write(END);
      const { status, text } = await closed;
      expect([status, text.split('\r\n\r\n')[1]]).toEqual([200, '{"size":32}']);
    } finally {
      vi.useRealTimers();
    }
  });

  test('of which nothing more comes is given up', async () => {
    const before = discarded;
    const headers = `${FORM}content-length: 5000\r\n\r\n`;
    const { status, text } = await send(briefIdle, '/form', headers, [FILE, 'abcd']);
    expect([status, text]).toEqual([408, expect.stringContaining('"request_timeout"')]);
    expect(discarded).toBeGreaterThan(before);
  });

  test('that comes for ever is ended', async () => {
    let begun = false;
    const headers = `${FORM}transfer-encoding: chunked\r\n\r\n`;
    const { ms, status } = await send(briefUpload, '/form', headers, () => {
      if (begun) return chunked('abcd');
      begun = true;
      return chunked(FILE);
    });
    expect(status).toBe(408);
    expect(ms).toBeGreaterThanOrEqual(BRIEF_UPLOAD.uploadMs - 50);
  });
});

describe.concurrent('what is no file has its time in all', () => {
  const JSON_TYPE = 'content-type: application/json\r\n';

  test.each([
    ['a body', '/json', `${JSON_TYPE}content-length: 5000\r\n\r\n`, () => 'a', 408],
    ['a body in chunks', '/json', `${JSON_TYPE}transfer-encoding: chunked\r\n\r\n`, () => chunked('a'), 408],
    ['headers', '/json', '', () => 'x-a: b\r\n', 408],
    // The answer is out, so that nothing more can be said.
    ['a body that nobody waits for', '/early', `${JSON_TYPE}content-length: 5000\r\n\r\n`, () => 'a', 202],
  ])('%s', async (_what, path, headers, piece, expected) => {
    const { ms, status } = await send(briefIdle, path, headers, piece);
    expect(status).toBe(expected);
    expect(ms).toBeGreaterThanOrEqual(BRIEF_IDLE.idleMs - 50);
  });
});
