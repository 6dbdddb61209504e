/**
 * What would hold up a stop although nobody waits for an answer: connections that were opened and never used
 * (browsers do so in advance; Node does not count them as idle), and those that fall idle only after the stop began.
 * Whatever is still open after CLOSE_ALL_MS is cut: who sends a request byte by byte, or never reads the answer, must
 * not keep the process from ending what it does in good order.
 */
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

const LOOK_EVERY_MS = 50;
/** Half of what draining may take in all (stop-on-signals.ts). */
const CLOSE_ALL_MS = 5_000;

/** Makes `app.close()` wait for answers alone. */
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
