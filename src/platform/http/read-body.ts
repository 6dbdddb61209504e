/** Reads a complete body as raw bytes, which signatures cover. */
import type { IncomingMessage } from 'node:http';
import { Problem } from './problem.ts';

/** Does not wait for unread input: the connection closes after the response. */
const CLOSE = { headers: { connection: 'close' } };
const broken = (): Problem => new Problem('invalid_request', 'The body ended early.', CLOSE);

/**
 * @param max bytes that are taken
 * @param ms for all of it; null where the server's own minute is enough
 * @throws Problem payload_too_large, request_timeout, invalid_request where it ends early; nothing is read any more then
 */
export function readBody(request: IncomingMessage, max: number, ms: number | null): Promise<Buffer> {
  const tooLarge = (): Problem =>
    new Problem('payload_too_large', `The body must have at most ${max} bytes.`, CLOSE);
  if (Number(request.headers['content-length'] ?? 0) > max) {
    request.resume(); // a caller who is still sending receives the response sooner
    return Promise.reject(tooLarge());
  }
  if (request.destroyed && !request.complete) return Promise.reject(broken());
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const finish = (problem?: Problem): void => {
      if (timer) clearTimeout(timer);
      request.off('data', take).off('end', finish).off('close', leave).off('error', leave);
      request.on('error', () => undefined); // what comes of a connection that is given up
      if (problem) {
        request.resume();
        reject(problem);
      } else resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size));
    };
    const leave = (): void => finish(broken());
    const take = (chunk: Buffer): void => {
      size += chunk.length;
      if (size > max) finish(tooLarge());
      else chunks.push(chunk);
    };
    const tooSlow = (): void =>
      finish(new Problem('request_timeout', `The body did not arrive within ${ms! / 1000} seconds.`, CLOSE));
    const timer = ms === null ? null : setTimeout(tooSlow, ms);
    request
      .on('data', take)
      .on('end', () => finish())
      .on('close', leave)
      .on('error', leave);
  });
}
