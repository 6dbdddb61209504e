/** How long a request may take to arrive, with the minutes of earnest as a second or less. */
import { createHash } from 'node:crypto';
import net from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { pino } from 'pino';
import Type from 'typebox';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readConfig } from '../config.ts';
import { createServer } from './server.ts';
import { createUploadReader } from './upload.ts';

const LIMITS = { idleMs: 1_000, uploadMs: 4_000, checkMs: 100 };
const BEAT_MS = 250;
const FORM = 'content-type: multipart/form-data; boundary=x\r\n';
const FILE = '--x\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n';
const END = '\r\n--x--\r\n';

let app: FastifyInstance;
let discarded = 0;

beforeAll(async () => {
  app = createServer(readConfig({ PORT: '0' }), pino({ level: 'silent' }), undefined, LIMITS);
  const read = createUploadReader({
    fields: Type.Object({}),
    maxBytes: 1_000_000,
    async sink(stream) {
      const hash = createHash('sha256');
      let size = 0;
      try {
        for await (const chunk of stream) size += (hash.update(chunk), chunk.length);
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
});
afterAll(() => app.close());

/** Sends a head, then pieces in a steady beat, for ever where `pieces` is infinite. */
async function send(path: string, headers: string, pieces: string[] | (() => string)) {
  const { port } = app.server.address() as net.AddressInfo;
  const socket = net.connect(port, '127.0.0.1');
  const startedAt = performance.now();
  let text = '';
  const closed = new Promise<number>((resolve) => {
    socket.on('data', (chunk) => (text += chunk.toString())).on('error', () => undefined);
    socket.on('close', () => resolve(performance.now() - startedAt));
  });
  socket.write(`POST ${path} HTTP/1.1\r\nhost: localhost\r\n${headers}`);
  for (let at = 0; !socket.destroyed; at++) {
    const piece = Array.isArray(pieces) ? pieces[at] : pieces();
    if (piece === undefined) break;
    socket.write(piece);
    await Promise.race([delay(BEAT_MS), closed]);
  }
  const ms = await closed;
  return { ms, status: Number(/^HTTP\/1.1 (\d+)/.exec(text)?.[1] ?? 0), text };
}

const beats = (seconds: number): string[] => Array.from({ length: (seconds * 1000) / BEAT_MS }, () => 'abcd');
const chunked = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;

describe.concurrent('a file', () => {
  test('may take longer than anything else as long as it comes', async () => {
    const pieces = [FILE, ...beats(2), END];
    const headers = `${FORM}connection: close\r\ncontent-length: ${pieces.join('').length}\r\n\r\n`;
    const { ms, status, text } = await send('/form', headers, pieces);
    expect([status, text.split('\r\n\r\n')[1]]).toEqual([200, '{"size":32}']);
    expect(ms).toBeGreaterThan(LIMITS.idleMs * 1.5);
  });

  test('of which nothing more comes is given up', async () => {
    const before = discarded;
    const { status, text } = await send('/form', `${FORM}content-length: 5000\r\n\r\n`, [FILE, 'abcd']);
    expect([status, text]).toEqual([408, expect.stringContaining('"request_timeout"')]);
    expect(discarded).toBeGreaterThan(before);
  });

  test('that comes for ever is ended', async () => {
    let begun = false;
    const { ms, status } = await send('/form', `${FORM}transfer-encoding: chunked\r\n\r\n`, () => {
      if (begun) return chunked('abcd');
      begun = true;
      return chunked(FILE);
    });
    expect(status).toBe(408);
    expect(ms).toBeGreaterThanOrEqual(LIMITS.uploadMs - 50);
  });
});

describe.concurrent('what is no file has its time in all', () => {
  const JSON_TYPE = 'content-type: application/json\r\n';
  const within = (ms: number): void => {
    expect(ms).toBeGreaterThanOrEqual(LIMITS.idleMs - 50);
    expect(ms).toBeLessThan(LIMITS.uploadMs - 500);
  };

  test.each([
    ['a body', '/json', `${JSON_TYPE}content-length: 5000\r\n\r\n`, () => 'a', 408],
    ['a body in chunks', '/json', `${JSON_TYPE}transfer-encoding: chunked\r\n\r\n`, () => chunked('a'), 408],
    ['headers', '/json', '', () => 'x-a: b\r\n', 408],
    // The answer is out, so that nothing more can be said.
    ['a body that nobody waits for', '/early', `${JSON_TYPE}content-length: 5000\r\n\r\n`, () => 'a', 202],
  ])('%s', async (_what, path, headers, piece, expected) => {
    const { ms, status } = await send(path, headers, piece);
    expect(status).toBe(expected);
    within(ms);
  });
});
