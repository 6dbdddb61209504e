import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { pino } from 'pino';
import { PATIENCE } from '../../../test/support/patience.ts';
import { cpuMs } from '../../../test/support/cpu.ts';
import { readConfig } from '../config/config.ts';
import { createServer } from './server.ts';
import { createLargeBodies, meterLargeBody } from './large-bodies.ts';
import { readJson } from './json-body.ts';
import { unstorableText } from './validation.ts';

const MIB = 1024 * 1024;

let app: FastifyInstance;
let handling: Promise<void> | null = null;
/** Number of requests whose handler has begun while others waited. */
let waiting = 0;
beforeAll(async () => {
  app = createServer(readConfig({ PORT: '0' }), pino({ level: 'silent' }));
  const bodies = createLargeBodies(4 * MIB, 16 * MIB);
  const getOwner = async ({ url }: FastifyRequest) => owner(url);
  app.post(
    '/:workspace',
    { bodyLimit: LIMIT, preParsing: meterLargeBody(bodies, LIMIT, getOwner) },
    () => ({}),
  );
  app.post('/small-:workspace', { preParsing: meterLargeBody(bodies, MIB, getOwner) }, async () => {
    if (handling) waiting += 1;
    await handling;
    return {};
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(() => app.close());

const owner = (person: string, workspace = person) => ({ person, workspace });

test('bodies in memory are bounded for each workspace, and persons share what there is', () => {
  const bodies = createLargeBodies(100, 400);
  bodies.hold(owner('a'), 60);
  expect(() => bodies.hold(owner('a'), 60)).toThrowError(expect.objectContaining({ code: 'rate_limited' }));
  for (const workspace of ['w1', 'w2', 'w3']) bodies.hold(owner('b', workspace), 70);
  expect(() => bodies.hold(owner('b', 'w4'), 70)).toThrowError(
    expect.objectContaining({ code: 'unavailable' }),
  );
  bodies.hold(owner('c'), 90);
  bodies.release(owner('b', 'w1'), 70);
  bodies.hold(owner('a'), 40);
});

test.each([1, 10, 20])(
  'one person with 50 workspaces leaves room for another, beside %i others',
  (others) => {
    const bodies = createLargeBodies(96 * MIB, 256 * MIB);
    const fill = (person: string, workspace: string): void => {
      for (let n = 0; n < 32; n++) bodies.hold(owner(person, workspace), MIB / 4);
    };
    const names = Array.from({ length: others }, (_, n) => `o${n}`);
    const attempt = (act: () => void): boolean => {
      try {
        act();
        return true;
      } catch {
        return false;
      }
    };
    for (const name of names) attempt(() => fill(name, name));
    for (let n = 0; n < 50; n++) attempt(() => fill('attacker', `w${n}`));
    expect(attempt(() => bodies.hold(owner('victim'), 2 * MIB))).toBe(true);
  },
);

const LIMIT = 3 * MIB;

/** Announces a body of almost 3 MiB; resolves once the server waits for it. */
async function announce(): Promise<Socket> {
  const { port } = app.server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write(
    `POST /w HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${LIMIT - 1}\r\nExpect: 100-continue\r\n\r\n`,
  );
  await once(socket, 'data');
  return socket;
}

const post = (path: string, bytes: number, headers = {}) =>
  app.inject({
    method: 'POST',
    url: path,
    headers: { host: 'localhost', 'content-type': 'application/json', ...headers },
    payload: JSON.stringify('x'.repeat(bytes)),
  });

test('bodies that are announced take no room, those that arrived leave room for small ones and for others', async () => {
  const sockets = await Promise.all(Array.from({ length: 9 }, announce));
  expect((await post('/w', 2 * MIB)).statusCode).toBe(200);
  sockets[0]!.write(Buffer.alloc(LIMIT - 2, 'x'));
  await vi.waitFor(async () => expect((await post('/w', 2 * MIB)).statusCode).toBe(429), PATIENCE);
  expect((await post('/w', 2 * MIB)).headers['retry-after']).toBe('1');
  expect((await post('/w', 100)).statusCode).toBe(200);
  // A packed body may unpack to the whole limit, however small it is.
  expect((await post('/w', 100, { 'content-encoding': 'gzip' })).statusCode).toBe(429);
  expect((await post('/v', 2 * MIB)).statusCode).toBe(200);
  for (const socket of sockets) socket.destroy();
  await vi.waitFor(async () => expect((await post('/w', 2 * MIB)).statusCode).toBe(200), PATIENCE);
});

/** Sends almost all of a body of 900 kB, and then no more. @returns the connection, and the response, if there is one */
async function stall(path: string) {
  const { port } = app.server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1');
  const stalled = { socket, response: '' };
  socket.on('data', (data) => (stalled.response += String(data))).on('error', () => undefined);
  await once(socket, 'connect');
  const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 900000\r\n\r\n`;
  socket.write(head + 'x'.repeat(899_999));
  return stalled;
}

test.each([1, 4])('bodies of 900 kB of %i persons that stall leave room to another', async (attackers) => {
  const all: Awaited<ReturnType<typeof stall>>[] = [];
  for (let nth = 0; nth < attackers; nth++) {
    const own: typeof all = [];
    await vi.waitFor(async () => {
      if (own.length < 20) own.push(await stall(`/small-${nth}`));
      expect(own.some(({ response }) => /^HTTP\/1.1 (429|503) /.test(response))).toBe(true);
    }, PATIENCE);
    all.push(...own);
  }
  expect((await post('/small-victim', 900_000)).statusCode).toBe(200);
  for (const { socket } of all) socket.destroy();
  await vi.waitFor(async () => expect((await post('/small-0', 900_000)).statusCode).toBe(200), PATIENCE);
});

test('bodies of up to 1 MiB count no longer once they have arrived', async () => {
  const handled = Promise.withResolvers<void>();
  handling = handled.promise;
  try {
    const open = Array.from({ length: 10 }, () => post('/small-a', 900_000));
    await vi.waitFor(() => expect(waiting).toBe(10), PATIENCE);
    handled.resolve();
    expect((await Promise.all(open)).map(({ statusCode }) => statusCode)).toEqual(Array(10).fill(200));
  } finally {
    handled.resolve();
  }
});

test('a large body that trickles is ended', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  try {
    const socket = await announce();
    socket.write('x'.repeat(100));
    const answer = once(socket, 'data');
    await vi.waitFor(() => expect(vi.getTimerCount()).toBeGreaterThan(0), PATIENCE);
    vi.advanceTimersByTime(10_000);
    expect(String(await answer)).toMatch(/^HTTP\/1.1 408 [^]*"request_timeout"/);
    socket.destroy();
  } finally {
    vi.useRealTimers();
  }
});

test('of a million texts that cannot be stored only the first are told', () => {
  expect(unstorableText({ list: Array(1_000_000).fill('\0') })).toHaveLength(50);
});

test('a body of millions of values is refused before it is read', () => {
  const body = Buffer.from(`{"messages":[${'{},'.repeat(2_000_000)}{}]}`);
  const refuse = () =>
    expect(() => readJson(body)).toThrowError(expect.objectContaining({ code: 'payload_too_large' }));
  expect(cpuMs(refuse)).toBeLessThan(cpuMs(() => JSON.parse(body.toString())) / 2);
  expect(readJson(Buffer.from(`[${'1,'.repeat(400_000)}1]`))).toHaveLength(400_001);
});
