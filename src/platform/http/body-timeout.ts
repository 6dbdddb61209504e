/**
 * Limits slow request bodies. Node's `requestTimeout` applies to all requests and would end long uploads that make
 * progress, so it is set to the longest upload. Each route has its own limit: a minute in total, or for file uploads a
 * minute between bytes. Slower requests get 408 and are disconnected.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { UNREAD_MS } from './unread.ts';

export interface BodyLimits {
  /** For headers, for a body that holds no file, and between two pieces of one that does. */
  idleMs: number;
  /** For a request in all. */
  uploadMs: number;
  /** How often Node looks for headers and requests that took too long. */
  checkMs: number;
  /** Limit in ms for a response of which no byte can be sent. */
  unreadMs: number;
}

export const BODY_LIMITS: BodyLimits = {
  idleMs: 60_000,
  uploadMs: 15 * 60_000,
  checkMs: 30_000,
  unreadMs: UNREAD_MS,
};

const timers = new WeakMap<IncomingMessage, NodeJS.Timeout>();

const tooSlow = (): Error =>
  Object.assign(new Error('the body did not arrive in time'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';

/** Watches every request that has a body, also where no route takes it. */
export function watchBodies(server: Server, idleMs: number): void {
  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    if (!hasBody(request)) return;
    const end = (): void => {
      if (request.complete || request.socket.destroyed) return;
      // Within an answer another one would be read as a part of it.
      if (response.headersSent) request.socket.destroy();
      else server.emit('clientError', tooSlow(), request.socket);
    };
    const timer = setTimeout(end, idleMs).unref();
    timers.set(request, timer);
    request.once('close', () => clearTimeout(timer)).once('end', () => clearTimeout(timer));
  });
}

/** Restarts the timeout after bytes of a file arrived. */
export function tellProgress(request: IncomingMessage): void {
  timers.get(request)?.refresh();
}
