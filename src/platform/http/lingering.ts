/**
 * How a connection ends whose request was answered before all of it had come, as a file that is too large. Closed at once,
 * it would be reset by what still comes, and a sender, or the proxy before it, that is busy sending would see that in
 * place of the answer (nginx: a 502). So the answer is sent, our side ends, and what comes is read and thrown away for a
 * while, as web servers do.
 */
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';

const LINGER_MS = 2_000;

/** For every request that has a body, also where no route takes it. */
export function closeLingering(server: Server): void {
  /** The last request with a body that a connection brought. */
  const last = new WeakMap<Socket, IncomingMessage>();

  const linger = (socket: Socket): void => {
    // What Node calls once the last answer of a connection is written.
    const close = socket.destroySoon.bind(socket);
    socket.destroySoon = () => {
      const request = last.get(socket)!;
      if (request.complete || socket.destroyed) return close();
      const late = setTimeout(() => socket.destroy(), LINGER_MS).unref();
      socket.once('close', () => clearTimeout(late));
      request.once('end', close).resume();
      socket.end();
    };
  };
  server.prependListener('request', (request: IncomingMessage) => {
    if (request.complete) return;
    if (!last.has(request.socket)) linger(request.socket);
    last.set(request.socket, request);
  });
}
