import { connect, type Socket } from 'node:net';
import Fastify from 'fastify';
import { expect, test, vi } from 'vitest';
import { closeWithoutWaiting } from './closing.ts';

test('a stop waits for the answer that is being made, and for nothing else', async () => {
  const app = Fastify({ forceCloseConnections: 'idle' });
  closeWithoutWaiting(app);
  let isAsked = false;
  app.get('/slow', async () => {
    isAsked = true;
    await new Promise((resolve) => setTimeout(resolve, 300));
    return 'whole';
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as { port: number };
  const open = (): Promise<Socket> =>
    new Promise((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(socket));
    });
  const unused = await open();
  const asking = await open();
  let text = '';
  asking.on('data', (chunk) => (text += chunk));
  asking.write('GET /slow HTTP/1.1\r\nhost: localhost\r\nconnection: keep-alive\r\n\r\n');
  await vi.waitFor(() => expect(isAsked).toBe(true));
  // Connections still open after 5 s are closed; that time never passes here.
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  try {
    await app.close();
  } finally {
    vi.useRealTimers();
  }
  await vi.waitFor(() => expect(text).toContain('whole'));
  unused.destroy();
  asking.destroy();
});

test('a request that is never sent whole does not hold up a stop', async () => {
  const app = Fastify({ forceCloseConnections: 'idle' });
  closeWithoutWaiting(app);
  let hasBegun = false;
  app.addHook('onRequest', async () => void (hasBegun = true));
  app.post('/', async () => 'never');
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as { port: number };
  const sending = connect(port, '127.0.0.1');
  sending.on('error', () => undefined); // it is cut
  sending.write(
    'POST / HTTP/1.1\r\nhost: localhost\r\ncontent-type: text/plain\r\ncontent-length: 9\r\n\r\nx',
  );
  await vi.waitFor(() => expect(hasBegun).toBe(true));
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const closed = app.close();
    await vi.waitFor(() => expect(vi.getTimerCount()).toBe(1));
    await vi.advanceTimersByTimeAsync(5_000);
    await closed;
  } finally {
    vi.useRealTimers();
  }
});
