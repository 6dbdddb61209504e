import { once } from 'node:events';
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { PATIENCE } from '../../../test/support/patience.ts';
import { openAnswer } from './stream.ts';
import type { KeyActor } from '../auth/actor.ts';
import type { Guard } from '../auth/guard.ts';
import { readConfig } from '../../platform/config/config.ts';
import { BODY_LIMITS } from '../../platform/http/body-timeout.ts';
import { createServer } from '../../platform/http/server.ts';

/** For the minutes of production. */
const UNREAD_MS = 1_500;
const MIB = 1024 * 1024;
/** More than the buffers of both sides of a connection hold. */
const LARGE = 32 * MIB;
const PIECE = Buffer.alloc(64 * 1024, 'a');

let app: FastifyInstance;
let port: number;
let source: AbortSignal | null = null;

beforeAll(async () => {
  const limits = { ...BODY_LIMITS, unreadMs: UNREAD_MS };
  app = createServer(readConfig({ PORT: '0' }), pino({ level: 'silent' }), undefined, limits);
  app.get('/whole', () => Buffer.alloc(LARGE, 'a'));
  app.get('/stream', async (_request, reply) => {
    const guard = { isFresh: () => true, renew: async () => undefined } as unknown as Guard;
    const actor = { kind: 'api_key', id: 'key_a', workspaceId: 'w' } as KeyActor;
    const out = openAnswer(reply, { guard, actor, headers: {} });
    source = out.signal;
    while (await out.write(PIECE));
    return reply;
  });
  app.get('/late', async () => {
    await sleep(3 * UNREAD_MS);
    return 'late';
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  ({ port } = app.server.address() as net.AddressInfo);
});
afterAll(() => app.close());

async function call(path: string): Promise<net.Socket> {
  const socket = net.connect({ port, host: '127.0.0.1' });
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost:${port}\r\nConnection: close\r\n\r\n`);
  return socket;
}

const countConnections = (): Promise<number> =>
  new Promise((resolve) => app.server.getConnections((_, count) => resolve(count)));

test.each(['/whole', '/stream'])('nobody reads %s: the connection is closed', async (path) => {
  const socket = await call(path);
  await vi.waitFor(async () => expect(await countConnections()).toBe(1));
  await vi.waitFor(async () => expect(await countConnections()).toBe(0), PATIENCE);
  if (path === '/stream') await vi.waitFor(() => expect(source?.aborted).toBe(true), PATIENCE);
  socket.destroy();
});

test('who reads slowly gets all of a response, also where it was written at once', async () => {
  const socket = await call('/whole');
  let size = 0;
  for await (const chunk of socket) {
    const before = size;
    size += (chunk as Buffer).length;
    if (Math.floor(size / MIB) > Math.floor(before / MIB)) await sleep(UNREAD_MS / 8);
  }
  expect(size).toBeGreaterThan(LARGE);
});

test('a response that takes long to begin is not cut', async () => {
  const socket = await call('/late');
  let text = '';
  for await (const chunk of socket) text += String(chunk);
  expect(text).toMatch(/late$/);
});
