import { once } from 'node:events';
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startTestApp, startWorkspace, type TestApp } from '../../../test/support/test-app.ts';

const PIECE = Buffer.alloc(64 * 1024);
let app: TestApp;
let head: (bytes: number) => string;
beforeAll(async () => {
  app = await startTestApp();
  const { key } = await startWorkspace(app);
  head = (bytes) =>
    `POST /api/v1/media HTTP/1.1\r\nHost: ${new URL(app.base).host}\r\nAuthorization: Bearer ${key}\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: ${bytes}\r\n\r\n`;
});
afterAll(() => app.stop());

/** Sends the data of a rejected sender, and records the response. */
async function refusedSender(bytes: number) {
  const socket = net.connect({
    port: Number(new URL(app.base).port),
    host: '127.0.0.1',
    allowHalfOpen: true,
  });
  const seen = { text: '', ended: false, error: null as string | null, closed: false };
  socket.on('data', (data) => (seen.text += data.toString()));
  socket.on('end', () => (seen.ended = true));
  socket.on('error', (error: NodeJS.ErrnoException) => (seen.error = error.code!));
  socket.on('close', () => (seen.closed = true));
  await once(socket, 'connect');
  socket.write(head(bytes));
  socket.write(PIECE);
  await vi.waitFor(() => expect(seen.text).toContain('payload_too_large'));
  return { socket, seen };
}

test('who still sends when it is refused gets the answer and an orderly end, and no reset', async () => {
  const { socket, seen } = await refusedSender(100 * 1024 * 1024);
  expect(seen.text).toMatch(/^HTTP\/1\.1 413 /);
  expect(seen.text).toMatch(/"detail":"[^"]* at most \d+ bytes\."/);
  expect(seen.text.toLowerCase()).toContain('connection: close');
  await vi.waitFor(() => expect(seen.ended).toBe(true));
  for (let nth = 0; nth < 10; nth++) {
    socket.write(PIECE);
    await sleep(20);
  }
  expect(seen.error).toBeNull();
  socket.end();
  await vi.waitFor(() => expect(seen).toMatchObject({ closed: true, error: null }));
});

test('who never stops is cut off', async () => {
  const { socket, seen } = await refusedSender(100 * 1024 * 1024);
  const since = performance.now();
  const sending = setInterval(() => socket.write(PIECE), 50);
  await vi.waitFor(() => expect(seen.closed).toBe(true));
  clearInterval(sending);
  expect(seen.error).toMatch(/ECONNRESET|EPIPE/);
  expect(performance.now() - since).toBeGreaterThan(1_000);
});
