/**
 * Sends a file: ranges, conditions, and headers that keep browsers from executing it on this origin. Applies
 * backpressure and never buffers the file.
 */
import { once } from 'node:events';
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { contentDisposition } from '../../../platform/http/content-disposition.ts';
import { matchesEtag } from '../../../platform/http/etag.ts';
import { Problem } from '../../../platform/http/problem.ts';
import { SANDBOX } from '../../../platform/http/sandbox.ts';
import type { FileBytes, Span } from './media-files.ts';
import { getContentType, isShownInline } from './media-type.ts';

/** A file that can be sent. */
export interface ServedFile {
  workspaceId: string;
  /** @throws Problem not_found if it was deleted, unavailable. The caller closes the result. */
  read(span: Span): Promise<FileBytes>;
  size: number;
  sha256: Buffer;
  type: string;
  name: string | null;
}

/** The open response: a write resolves once the receiver has taken the bytes, to false if the response has ended. */
export interface Sink {
  write(chunk: Uint8Array): boolean | Promise<boolean>;
  end(): void;
}

/** Time after which a receiver that reads nothing is disconnected. */
const IDLE_MS = 60_000;

/**
 * Parses a byte range; null if everything is requested, or the form of the range may be ignored (RFC 9110, section
 * 14.2).
 */
function getSpan(range: string | undefined, size: number): Span | null | 'unsatisfiable' {
  const [, first = '', last = ''] =
    /^\s*bytes\s*=\s*(\d{0,15})\s*-\s*(\d{0,15})\s*$/i.exec(range ?? '') ?? [];
  if (first === '' && last === '') return null;
  if (first === '') {
    const length = Math.min(Number(last), size);
    return length === 0 ? 'unsatisfiable' : { start: size - length, length };
  }
  const start = Number(first);
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== '' && Number(last) < start) return null;
  return start >= size ? 'unsatisfiable' : { start, length: end - start + 1 };
}

/** Headers of every response with a file's content: nothing in it is executed, and caches revalidate it each time. */
export const SAFE_HEADERS = {
  'content-security-policy': SANDBOX,
  'x-content-type-options': 'nosniff',
  'cache-control': 'private, no-cache',
};

function toHeaders({ type, name, sha256 }: ServedFile): Record<string, string> {
  return {
    ...SAFE_HEADERS,
    etag: `"${sha256.toString('hex')}"`,
    'accept-ranges': 'bytes',
    'content-type': getContentType(type),
    'content-disposition': contentDisposition(isShownInline(type) ? 'inline' : 'attachment', name),
  };
}

/** Takes over the response without checking a caller, for requests that need no key. */
export function plainSink(reply: FastifyReply, status: number, headers: Record<string, string>): Sink {
  reply.hijack();
  const { raw } = reply;
  raw.writeHead(status, { ...(reply.getHeaders() as Record<string, string>), ...headers });
  const gone = new AbortController();
  raw.once('close', () => gone.abort()).on('error', () => gone.abort());
  return {
    async write(chunk) {
      if (raw.destroyed || gone.signal.aborted) return false;
      if (!raw.write(chunk))
        await once(raw, 'drain', { signal: gone.signal }).catch((error: unknown) => {
          if (!gone.signal.aborted) throw error;
        });
      return !gone.signal.aborted;
    },
    end: () => undefined,
  };
}

/**
 * Responds with 200, 206 or 304.
 * @param more additional headers
 * @param open takes over the response
 * @throws Problem range_not_satisfiable, any error of reading
 */
export async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  file: ServedFile,
  more: Record<string, string>,
  open: (status: number, headers: Record<string, string>) => Sink,
): Promise<void> {
  const headers = { ...toHeaders(file), ...more };
  if (matchesEtag(request.headers['if-none-match'], headers['etag']!))
    return void reply.code(304).headers(headers).removeHeader('content-type').send();
  const ifRange = request.headers['if-range'];
  const counts = ifRange === undefined || String(ifRange).trim() === headers['etag'];
  const span = counts ? getSpan(request.headers.range, file.size) : null;
  if (span === 'unsatisfiable')
    throw new Problem(
      'range_not_satisfiable',
      `The range is outside the file, which has ${file.size} bytes.`,
      {
        headers: { 'content-range': `bytes */${file.size}` },
      },
    );
  const { start, length } = span ?? { start: 0, length: file.size };
  const all = {
    ...headers,
    'content-length': String(length),
    ...(span ? { 'content-range': `bytes ${start}-${start + length - 1}/${file.size}` } : {}),
  };
  const status = span ? 206 : 200;
  // An empty stream: Fastify would take the length of anything else.
  if (request.method === 'HEAD') return void reply.code(status).headers(all).send(Readable.from([]));
  const bytes = await file.read({ start, length });
  try {
    await stream(reply, bytes, open(status, all));
  } finally {
    await bytes.close();
  }
}

/** Writes each piece after the previous one was taken. @returns false if the receiver has disconnected */
async function pump(bytes: FileBytes, sink: Sink): Promise<boolean> {
  for await (const piece of bytes) if (!(await sink.write(piece))) return false;
  return true;
}

async function stream(reply: FastifyReply, bytes: FileBytes, sink: Sink): Promise<void> {
  const { raw } = reply;
  raw.setTimeout(IDLE_MS, () => raw.destroy());
  try {
    // Destroyed instead of ended: with fewer bytes than announced, the connection would wait for the rest.
    if (!(await pump(bytes, sink))) return void raw.destroy();
    raw.end();
    if (!raw.writableFinished && !raw.closed) await once(raw, 'close');
  } catch (error) {
    // The headers are already sent: the receiver notices that the response is too short.
    raw.destroy();
    reply.log.error({ err: error, request_id: reply.request.id }, 'a file could not be sent to its end');
  } finally {
    sink.end();
  }
}
