import { afterAll, beforeAll, expect, test } from 'vitest';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { cpuMs } from '../../../test/support/cpu.ts';
import { startTestApp, startWorkspace, type TestApp } from '../../../test/support/test-app.ts';
import { createLargeBodies } from './large-bodies.ts';
import { readJson } from './json-body.ts';
import { unstorableText } from './validation.ts';

const MIB = 1024 * 1024;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

test('bodies in memory are bounded, for each workspace and in all', () => {
  const bodies = createLargeBodies(100, 250);
  const first = bodies.reserve('a', 60);
  expect(() => bodies.reserve('a', 60)).toThrowError(expect.objectContaining({ code: 'rate_limited' }));
  bodies.reserve('b', 100);
  const third = bodies.reserve('c', 80);
  expect(() => bodies.reserve('d', 20)).toThrowError(expect.objectContaining({ code: 'unavailable' }));
  third();
  third(); // twice changes nothing
  first();
  bodies.reserve('a', 100);
  expect(() => bodies.reserve('d', 60)).toThrowError(expect.objectContaining({ code: 'unavailable' }));
});

/** Announces a body of 32 MiB and sends none of it; resolves once the server waits for it. */
async function announce(key: string): Promise<Socket> {
  const { port } = new URL(app.base);
  const socket = connect(Number(port), '127.0.0.1');
  await once(socket, 'connect');
  socket.write(
    `POST /api/v1/chat/completions HTTP/1.1\r\nHost: localhost:${port}\r\nAuthorization: Bearer ${key}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${32 * MIB - 1}\r\nExpect: 100-continue\r\n\r\n`,
  );
  await once(socket, 'data');
  return socket;
}

test('large bodies that are announced and never sent leave room for small ones and for others', async () => {
  const [mine, others] = [await startWorkspace(app), await startWorkspace(app)];
  const small = { model: 'fairlead/echo', messages: [{ role: 'user', content: 'Hi' }] };
  const large = { model: 'fairlead/echo', messages: [{ role: 'user', content: 'x'.repeat(2 * MIB) }] };
  const chat = (key: string, body: object, headers = {}) =>
    app.call('/chat/completions', { key, body, headers });

  expect((await chat(mine.key, large)).status).toBe(200);
  const sockets = await Promise.all(Array.from({ length: 3 }, () => announce(mine.key)));
  const refused = await chat(mine.key, large);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
  expect((await chat(mine.key, small)).status).toBe(200);
  // A packed body may unpack to the whole limit, however small it is.
  expect((await chat(mine.key, small, { 'content-encoding': 'gzip' })).status).toBe(429);
  expect((await chat(others.key, large)).status).toBe(200);

  for (const socket of sockets) socket.destroy();
  await expect.poll(async () => (await chat(mine.key, large)).status).toBe(200);
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
