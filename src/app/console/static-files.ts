/**
 * The files of a browser bundle, held in memory: read once, so that a rebuild under a running server changes nothing
 * and no request touches the file system. If a file has compressed copies, only those are kept, which saves two thirds
 * of the memory; the file is decompressed for the few callers that accept neither.
 */
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type AnswerCoding, chooseCoding } from '../../platform/http/compression.ts';
import { withCoding } from '../../platform/http/etag.ts';

const TYPES: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

const SUFFIXES: Record<AnswerCoding, string> = { br: '.br', gzip: '.gz' };

export interface StaticFile {
  type: string;
  /** Null if only `encoded.gzip` is kept. */
  body: Buffer | null;
  etag: string;
  /** Its name holds a print of its content, so it never changes. */
  immutable: boolean;
  /** Pages of other sites may read it. */
  shared?: boolean;
  encoded: Partial<Record<AnswerCoding, Buffer>>;
}

/**
 * Reads all files under `folder`, by their path in it (`assets/index-3f9a.js`). Dot files and the compressed copies
 * themselves are left out.
 * @param hashed folder directly under `folder` whose file names contain a hash of their content
 */
export function loadStaticFiles(folder: string, hashed = 'assets'): Map<string, StaticFile> {
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'));
  const present = new Set(paths);
  const files = new Map<string, StaticFile>();
  for (const path of paths) {
    const type = TYPES[extname(path)];
    if (!type || path.split('/').some((part) => part.startsWith('.'))) continue;
    const encoded: StaticFile['encoded'] = {};
    for (const [encoding, suffix] of Object.entries(SUFFIXES) as [AnswerCoding, string][])
      if (present.has(path + suffix)) encoded[encoding] = readFileSync(join(folder, path + suffix));
    const body = encoded.gzip ? null : readFileSync(join(folder, path));
    files.set(path, {
      type,
      body,
      etag: createHash('sha256')
        .update(body ?? encoded.gzip!)
        .digest('base64url')
        .slice(0, 22),
      immutable: path.startsWith(`${hashed}/`),
      encoded,
    });
  }
  return files;
}

/** Returns a file's uncompressed bytes. */
export const getContent = ({ body, encoded }: StaticFile): Buffer => body ?? gunzipSync(encoded.gzip!);

/** Answers with a file: compressed where the caller takes it, 304 where the caller has it. */
export function sendStaticFile(request: FastifyRequest, reply: FastifyReply, file: StaticFile): FastifyReply {
  const offered = (['br', 'gzip'] as const).filter((name) => file.encoded[name]);
  const coding = chooseCoding(request.headers['accept-encoding'], offered);
  const etag = withCoding(`"${file.etag}"`, coding);
  reply.headers({
    'Content-Type': file.type,
    'Cache-Control': file.immutable ? 'public, max-age=31536000, immutable' : 'no-cache',
    'X-Content-Type-Options': 'nosniff',
    'Cross-Origin-Resource-Policy': file.shared ? 'cross-origin' : 'same-origin',
    ...(file.shared ? { 'Access-Control-Allow-Origin': '*', 'Access-Control-Expose-Headers': 'ETag' } : {}),
    Vary: 'Accept-Encoding',
    ETag: etag,
  });
  const known = request.headers['if-none-match']?.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  if (known?.includes(etag)) return reply.code(304).send();
  if (coding) reply.header('Content-Encoding', coding);
  return reply.send(coding ? file.encoded[coding] : getContent(file));
}
