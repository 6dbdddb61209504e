import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { KeyActor } from '../auth/actor.ts';
import type { Guard } from '../auth/guard.ts';
import { readConfig } from '../../platform/config/config.ts';
import { createServer } from '../../platform/http/server.ts';
import { type OpenAnswer, openAnswer } from './stream.ts';

let app: FastifyInstance;
let base: string;
let open: (out: OpenAnswer) => void;
let mayOpen: Promise<void>;
let called = (): void => undefined;
let left = (): void => undefined;
let looks = 0;

const actor = { kind: 'api_key', id: 'key_a', workspaceId: 'w' } as KeyActor;
const guard = { isFresh: () => ++looks > 0, renew: async () => undefined } as unknown as Guard;

beforeAll(async () => {
  app = createServer(readConfig({ PORT: '0' }), pino({ level: 'silent' }));
  app.get('/stream', async (request, reply) => {
    request.raw.socket.once('close', () => left());
    called();
    await mayOpen;
    open(openAnswer(reply, { guard, actor, headers: { 'content-type': 'text/event-stream' } }));
    return reply;
  });
  base = (await app.listen({ host: '127.0.0.1', port: 0 })).replace('127.0.0.1', 'localhost');
});
afterAll(() => app.close());

/** Whether anything looks after the caller's right still. */
async function isWatched(): Promise<boolean> {
  const before = looks;
  await sleep(600);
  return looks > before;
}

test('a caller who left before the stream began leaves nothing behind', async () => {
  let begin = (): void => undefined;
  mayOpen = new Promise((resolve) => (begin = resolve));
  const opened = new Promise<OpenAnswer>((resolve) => (open = resolve));
  const arrived = new Promise<void>((resolve) => (called = resolve));
  const gone = new Promise<void>((resolve) => (left = resolve));
  const leaving = new AbortController();
  const call = fetch(`${base}/stream`, { signal: leaving.signal }).catch((error: Error) => error.name);
  await arrived;
  leaving.abort();
  expect(await call).toBe('AbortError');
  await gone;
  begin();
  const out = await opened;
  expect(out.signal.aborted).toBe(true);
  expect(await out.write('data: x\n\n')).toBe(false);
  out.end();
  expect(await isWatched()).toBe(false);
});

test('as little is left of one that ended, or whose caller left', async () => {
  for (const how of ['end', 'leave']) {
    mayOpen = Promise.resolve();
    const opened = new Promise<OpenAnswer>((resolve) => (open = resolve));
    const leaving = new AbortController();
    const response = await fetch(`${base}/stream`, { signal: leaving.signal });
    const out = await opened;
    expect(await out.write('data: x\n\n')).toBe(true);
    expect(await isWatched()).toBe(true);
    if (how === 'end') out.end();
    else leaving.abort();
    expect(await response.text().catch((error: Error) => error.name)).toBe(
      how === 'end' ? 'data: x\n\n' : 'AbortError',
    );
    await vi.waitFor(() => expect(out.signal.aborted).toBe(true));
    expect(await isWatched(), how).toBe(false);
  }
});

test('proxies are told to hand each piece on at once', async () => {
  mayOpen = Promise.resolve();
  const opened = new Promise<OpenAnswer>((resolve) => (open = resolve));
  const { headers, body } = await fetch(`${base}/stream`);
  expect(headers.get('x-accel-buffering')).toBe('no');
  (await opened).end();
  await body!.cancel();
});
