/**
 * Decodes request bodies with a `Content-Encoding`. The limit applies to the decoded size: decoding stops at the first
 * byte beyond it, so a decompression bomb costs no more than any other body.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, inflateRaw } from 'node:zlib';
import { invalid, Problem } from './problem.ts';

type Unpack = (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;

const UNPACK = {
  gzip: promisify(gunzip) as Unpack,
  br: promisify(brotliDecompress) as Unpack,
  // Some clients leave out the zlib header that RFC 9110 asks for; 8 is the method in it.
  deflate: (bytes, options) => ((bytes[0]! & 0x0f) === 8 ? zlibInflate : rawInflate)(bytes, options),
} satisfies Record<string, Unpack>;
const zlibInflate = promisify(inflate) as Unpack;
const rawInflate = promisify(inflateRaw) as Unpack;

export type Coding = keyof typeof UNPACK;

/** Value of `Accept-Encoding` in a 415 (RFC 9110, section 12.5.3). */
const TAKEN = Object.keys(UNPACK).join(', ');

const refused = (given: string, taken: string): Problem =>
  new Problem(
    'unsupported_media_type',
    taken === 'identity'
      ? 'Send files without Content-Encoding.'
      : `Content-Encoding ${given.slice(0, 100)} is not supported. Use one of ${taken}, or none.`,
    { headers: { 'accept-encoding': taken, connection: 'close' } },
  );

/** Reads `Content-Encoding`. @returns null for a body that is not packed. @throws Problem unsupported_media_type */
export function readCoding({ 'content-encoding': given }: IncomingHttpHeaders): Coding | null {
  if (given === undefined) return null;
  const name = given.trim().toLowerCase();
  if (name === '' || name === 'identity') return null;
  const coding = name === 'x-gzip' ? 'gzip' : name;
  if (!Object.hasOwn(UNPACK, coding)) throw refused(given, TAKEN);
  return coding as Coding;
}

/** @throws Problem unsupported_media_type for a packed body, where files are read as they come */
export function assertNotPacked(headers: IncomingHttpHeaders): void {
  const given = headers['content-encoding']?.trim().toLowerCase();
  if (given && given !== 'identity') throw refused(given, 'identity');
}

/** zlib's error codes for invalid or truncated data. */
const BROKEN = /^(Z_DATA_ERROR|Z_BUF_ERROR|Z_NEED_DICT|ERR__|ERR_BROTLI)/;

/**
 * Unpacks a body.
 * @param max bytes that it may have unpacked
 * @throws Problem payload_too_large, invalid_request for bytes that the coding can't read
 */
export async function unpackBody(bytes: Buffer, coding: Coding, max: number): Promise<Buffer> {
  if (bytes.length === 0) return bytes;
  try {
    return await UNPACK[coding](bytes, { maxOutputLength: max });
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'ERR_BUFFER_TOO_LARGE')
      throw new Problem('payload_too_large', `The decompressed body must have at most ${max} bytes.`);
    if (BROKEN.test(code))
      throw invalid([{ pointer: '', code: 'invalid_encoding', detail: `must be valid ${coding}` }]);
    throw error;
  }
}
