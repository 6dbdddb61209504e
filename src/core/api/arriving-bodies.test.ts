/** Bodies of up to 1 MiB that arrive slowly, at operations with the usual limit. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { PATIENCE } from '../../../test/support/patience.ts';
import { startTestApp, startWorkspace, type TestApp } from '../../../test/support/test-app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

/** Sends all of a body of 900 kB but its last byte. @returns the connection, and the response, if there is one */
async function stall(key: string) {
  const { hostname, port } = new URL(app.base);
  const socket = connect(Number(port), hostname);
  const stalled = { socket, response: '' };
  socket.on('data', (data) => (stalled.response += String(data))).on('error', () => undefined);
  await once(socket, 'connect');
  const head = [
    'POST /api/v1/contacts HTTP/1.1',
    `Host: ${hostname}`,
    `Authorization: Bearer ${key}`,
    'Content-Type: application/json',
    'Content-Length: 900000',
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${'x'.repeat(899_999)}`);
  return stalled;
}

test('bodies of one person that stall leave room to another', PATIENCE, async () => {
  const [busy, other] = [await startWorkspace(app), await startWorkspace(app)];
  const stalled: Awaited<ReturnType<typeof stall>>[] = [];
  try {
    // A workspace has 96 MiB.
    for (let n = 0; n < 120; n++) stalled.push(await stall(busy.key));
    await vi.waitFor(
      () => expect(stalled.some(({ response }) => response.startsWith('HTTP/1.1 429 '))).toBe(true),
      PATIENCE,
    );
    const create = (key: string) =>
      app.call('/contacts', { key, body: { name: 'Ann', metadata: { note: 'x'.repeat(900_000) } } });
    expect((await create(busy.key)).body.code).toBe('rate_limited');
    // It is read: the note is too long.
    expect(await create(other.key)).toHaveStatus(400);
    expect(await app.call('/contacts', { key: busy.key, body: { name: 'Ann' } })).toHaveStatus(201);
  } finally {
    for (const { socket } of stalled) socket.destroy();
  }
});
