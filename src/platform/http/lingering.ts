/**
 * Lingering close for requests that are answered before they were fully received, such as oversized files. Closing
 * immediately would reset the connection, and a client or proxy that is still sending would see the reset instead of
 * the response (nginx: a 502). So the response is sent, the sending side is closed, and the remaining input is read and
 * discarded for a while, as web servers do.
 */
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';

const LINGER_MS = 2_000;

/** For every request that has a body, also where no route takes it. */
export function closeLingering(server: Server): void {
  /** The last request with a body that a connection brought. */
  const last = new WeakMap<Socket, IncomingMessage>();

  const linger = (socket: Socket): void => {
    // Called by Node once the last response of a connection is written.
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
