/**
 * Answers to what never becomes a request with a route: bytes that are not HTTP, headers without end, paths that
 * cannot be decoded. They have the form and the headers of any other answer.
 */
import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { newRequestId, requestIdHeaders } from './ids.ts';
import { Problem, problemBody } from './problem.ts';

const CODES: Record<string, () => Problem> = {
  HPE_HEADER_OVERFLOW: () =>
    new Problem('headers_too_large', 'The request line and headers together must not exceed 16 KiB.'),
  HPE_CHUNK_EXTENSIONS_OVERFLOW: () =>
    new Problem('payload_too_large', 'The chunk extensions of a body can have at most 16 KiB.'),
  ERR_HTTP_REQUEST_TIMEOUT: () => new Problem('request_timeout', 'The request did not arrive in time.'),
};

/** The response to unparsable requests, after which the connection closes. */
export function createUnreadableAnswer(headers: Record<string, string>, baseUrl: string) {
  return (error: NodeJS.ErrnoException, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || socket.destroyed) return;
    const problem =
      CODES[error.code ?? '']?.() ?? new Problem('invalid_request', 'This is not a valid HTTP/1.1 request.');
    const id = newRequestId();
    const body = JSON.stringify(problemBody(problem, id, baseUrl));
    const lines = Object.entries({
      ...headers,
      ...requestIdHeaders(id),
      'cache-control': 'no-store',
      'content-type': 'application/problem+json',
      'content-length': String(Buffer.byteLength(body)),
      connection: 'close',
    }).map(([name, value]) => `${name}: ${value}\r\n`);
    if (socket.writable)
      socket.write(
        `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\n${lines.join('')}\r\n${body}`,
      );
    socket.destroy(error);
  };
}

/** Whether a proxy in front and this server could take a request for different hosts (RFC 9112, section 3.2). */
export function hasSeveralHosts({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): boolean {
  let lines = 0;
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at]!.length === 4 && rawHeaders[at]!.toLowerCase() === 'host') lines++;
  return lines > 1;
}

/** @throws Problem invalid_request */
export function assertOneHost(request: Pick<IncomingMessage, 'rawHeaders'>): void {
  if (hasSeveralHosts(request))
    throw new Problem('invalid_request', 'The request has more than one Host header. Send one.');
}

/**
 * Whether the chunks of the body have another coding (RFC 9112, section 6.1), which Node takes for none. Node itself
 * rejects a body whose last coding is not `chunked`.
 */
export function hasOtherCoding({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return headers['transfer-encoding']?.includes(',') ?? false;
}

/** @throws Problem invalid_request, after which the connection closes, as the body's end is uncertain */
export function assertPlainChunks(request: Pick<IncomingMessage, 'headers'>): void {
  if (hasOtherCoding(request))
    throw new Problem('invalid_request', 'The only supported Transfer-Encoding is chunked.', {
      headers: { connection: 'close' },
    });
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** @throws Problem method_not_allowed for a method that no address here has, as TRACE */
export function assertKnownMethod(method: string): void {
  if (METHODS.has(method)) return;
  throw new Problem('method_not_allowed', `${method} is possible nowhere on this server.`, {
    headers: { allow: [...METHODS].join(', ') },
  });
}
