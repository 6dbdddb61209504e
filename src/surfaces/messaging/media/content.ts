/**
 * Sending a file: ranges, conditions, and headers under which no browser runs anything of it on this origin. It is
 * read in pieces that wait for the receiver, so it is never whole in memory.
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

/** The opened answer: writes wait until the receiver has taken what was written; false where it is over. */
export interface Sink {
  write(chunk: Uint8Array): boolean | Promise<boolean>;
  end(): void;
}

/** A receiver who takes nothing for so long is given up. */
const IDLE_MS = 60_000;

/** One range of bytes; null where all is asked for, or in a form that may be ignored (RFC 9110, section 14.2). */
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

/** Of every answer with a file's content: nothing of it runs, and it is asked for anew each time. */
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

/** Takes over the answer without looking at anybody: for those who need no key. */
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
 * Answers 200, 206 or 304.
 * @param more headers beside those of every file
 * @param open takes over the answer
 * @throws Problem range_not_satisfiable, and what reading throws
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

/** A piece is written only when the one before is out. @returns false where the receiver has left */
async function pump(bytes: FileBytes, sink: Sink): Promise<boolean> {
  for await (const piece of bytes) if (!(await sink.write(piece))) return false;
  return true;
}

async function stream(reply: FastifyReply, bytes: FileBytes, sink: Sink): Promise<void> {
  const { raw } = reply;
  raw.setTimeout(IDLE_MS, () => raw.destroy());
  try {
    // Not ended: after fewer bytes than were promised the connection would wait for the rest.
    if (!(await pump(bytes, sink))) return void raw.destroy();
    raw.end();
    if (!raw.writableFinished && !raw.closed) await once(raw, 'close');
  } catch (error) {
    // The headers are out: a receiver learns by an answer that is too short.
    raw.destroy();
    reply.log.error({ err: error, request_id: reply.request.id }, 'a file could not be sent to its end');
  } finally {
    sink.end();
  }
}
