/**
 * Compresses answers. Both codings run at their fastest: JSON shrinks to an eighth then already, for less time than it
 * took to serialize. Bodies of one packet or two gain nothing, and stay as they are.
 *
 * Never compressed is an answer that holds a secret: its length would tell how much of the secret another part of it,
 * which somebody else wrote, has in common with it (BREACH).
 */
import { promisify } from 'node:util';
import { brotliCompress, brotliCompressSync, constants, gzip, gzipSync } from 'node:zlib';

export type AnswerCoding = 'br' | 'gzip';
const CODINGS: readonly AnswerCoding[] = ['br', 'gzip'];

/** Characters of a body that is worth it. */
export const COMPRESSED_FROM = 2_048;
/** Longer ones are compressed by another thread. */
const LONG = 64 * 1024;

const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };
const GZIP = { level: constants.Z_BEST_SPEED };

const AT_ONCE: Record<AnswerCoding, (text: string) => Buffer> = {
  br: (text) => brotliCompressSync(text, BROTLI),
  gzip: (text) => gzipSync(text, GZIP),
};
const ASIDE: Record<AnswerCoding, (text: string) => Promise<Buffer>> = {
  br: (text) => promisify(brotliCompress)(text, BROTLI),
  gzip: (text) => promisify(gzip)(text, GZIP),
};

/** @returns a promise where it takes long */
export const compress = (text: string, coding: AnswerCoding): Buffer | Promise<Buffer> =>
  (text.length > LONG ? ASIDE : AT_ONCE)[coding](text);

/** Name → quality, from 0 to 1. */
function readQualities(header: string): Map<string, number> {
  const entries = header.split(',').map((part): [string, number] => {
    const [name = '', ...parameters] = part
      .toLowerCase()
      .split(';')
      .map((piece) => piece.trim());
    const quality = parameters.find((parameter) => parameter.startsWith('q='));
    return [name, quality === undefined ? 1 : Number(quality.slice(2)) || 0];
  });
  return new Map(entries);
}

/**
 * Chooses a coding by `Accept-Encoding` (RFC 9110, section 12.5.3).
 * @param offered in the order of our preference
 * @returns null for none
 */
export function chooseCoding(
  acceptEncoding: string | undefined,
  offered: readonly AnswerCoding[] = CODINGS,
): AnswerCoding | null {
  if (!acceptEncoding) return null;
  const qualities = readQualities(acceptEncoding);
  let best: AnswerCoding | null = null;
  let max = 0;
  for (const coding of offered) {
    const quality = qualities.get(coding) ?? qualities.get('*') ?? 0;
    if (quality > max) [best, max] = [coding, quality];
  }
  return best;
}
