/**
 * Closes connections that would delay a stop although no response is pending: those opened and never used (browsers
 * open some in advance, and Node does not count them as idle), and those that become idle after the stop began.
 * Anything still open after CLOSE_ALL_MS is cut, so that a client that sends byte by byte or never reads its response
 * can't block the stop.
 */
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

const LOOK_EVERY_MS = 50;
/** Half of the total time for draining (stop-on-signals.ts). */
const CLOSE_ALL_MS = 5_000;

/** Makes `app.close()` wait only for responses. */
export function closeWithoutWaiting(app: FastifyInstance): void {
  const unused = new Set<Socket>();
  const { server } = app;
  server.on('connection', (socket) => {
    unused.add(socket);
    socket.once('close', () => unused.delete(socket));
  });
  server.on('request', ({ socket }) => void unused.delete(socket));
  app.addHook('preClose', (done) => {
    for (const socket of unused) socket.destroy();
    const timer = setInterval(() => server.closeIdleConnections(), LOOK_EVERY_MS);
    const late = setTimeout(() => server.closeAllConnections(), CLOSE_ALL_MS);
    server.once('close', () => {
      clearInterval(timer);
      clearTimeout(late);
    });
    done();
  });
}
