/**
 * Reading a JSON body: no `__proto__`, a bounded depth (so that nothing which walks it can be made to overflow the
 * stack), a bounded number of values, no text that PostgreSQL could not store. An empty body is no body.
 */
import { isUtf8 } from 'node:buffer';
import { hasSuspectNumber, parseLossless } from '../json/lossless-json.ts';
import { invalid, Problem } from './problem.ts';
import { unstorableText } from './validation.ts';

const MAX_DEPTH = 64;
/** A string of 32 MiB is read in no time; ten million empty objects hold the process up for seconds. */
const MAX_VALUES = 500_000;
const SUSPECT_TEXT = /\\u(0000|d[89a-f])/i;
/** Returns whether JSON may contain text that PostgreSQL cannot store. */
export const mayBeUnstorable = (bytes: Buffer): boolean => SUSPECT_TEXT.test(bytes.toString('latin1'));

/** The name itself, or an escape of one of its letters. */
const SUSPECT_NAMES = /__proto__|\\u00(?:5f|6f|70|72|74)/i;

const QUOTE = 34;
const COMMA = 44;
const BACKSLASH = 92;

/** @throws Problem invalid_json, payload_too_large; before anything is made of the text */
export function checkStructure(
  text: string,
  { maxValues, taker }: { maxValues: number; taker?: string } = { maxValues: MAX_VALUES },
): void {
  let depth = 0;
  let values = 1;
  let quoted = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (quoted) {
      if (code === BACKSLASH) at++;
      else if (code === QUOTE) quoted = false;
    } else if (code === QUOTE) quoted = true;
    else if (code === COMMA) values++;
    else if (code === 91 || code === 123) {
      values++;
      if (++depth > MAX_DEPTH)
        throw new Problem('invalid_json', `The body is nested deeper than ${MAX_DEPTH} levels.`);
    } else if (code === 93 || code === 125) depth--;
  }
  if (values > maxValues)
    throw new Problem(
      'payload_too_large',
      `The body has more than ${maxValues} values${taker ? `, the most that ${taker} takes` : ''}.`,
    );
}

function hasPrototypeName(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasPrototypeName);
  if (value === null || typeof value !== 'object') return false;
  return Object.entries(value).some(([name, item]) => name === '__proto__' || hasPrototypeName(item));
}

const CHARSET = /;\s*charset\s*=\s*"?([^";\s]*)/i;

/** Returns the charset that a content type names, in lower case; null where it names none. */
export const getCharset = (contentType: string | undefined): string | null =>
  CHARSET.exec(contentType ?? '')?.[1]!.toLowerCase() ?? null;

/** ASCII is UTF-8 too. */
const READ_AS_UTF8 = new Set([null, 'utf-8', 'utf8', 'us-ascii']);

/** JSON is UTF-8 (RFC 8259). @throws Problem unsupported_media_type for a body that says that it is not */
export function assertUtf8Type(contentType: string | undefined): void {
  const charset = getCharset(contentType);
  if (!READ_AS_UTF8.has(charset))
    throw new Problem('unsupported_media_type', `Send the body in UTF-8, not ${charset!.slice(0, 50)}.`);
}

/** By parsed body, where they differ. */
const losslessForms = new WeakMap<object, unknown>();

function parseBody(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (value !== null && typeof value === 'object' && hasSuspectNumber(text))
    losslessForms.set(value, parseLossless(text));
  return value;
}

/**
 * Returns the same body with numbers as they were sent, for what is passed on or compared.
 * @param body as `readJson` returned it: not a copy
 */
export const getLossless = <T>(body: T): T =>
  body !== null && typeof body === 'object' ? ((losslessForms.get(body) as T | undefined) ?? body) : body;

/**
 * Reads a body whose numbers are doubles, as schemas take them.
 * @throws Problem invalid_json, invalid_request, payload_too_large
 */
export function readJson(bytes: Buffer): unknown {
  const value = read(bytes, parseBody);
  if (mayBeUnstorable(bytes)) {
    const faults = unstorableText(value);
    if (faults.length) throw invalid(faults);
  }
  return value;
}

/** By parsed body. */
const sentBytes = new WeakMap<object, Buffer>();

/**
 * Reads a body that is passed on as it was sent. Its texts may contain what PostgreSQL cannot store.
 * @throws Problem invalid_json, payload_too_large
 */
export function readPassedJson(bytes: Buffer): unknown {
  const text = bytes.subarray(0, 3).equals(BYTE_ORDER_MARK) ? bytes.subarray(3) : bytes;
  const value = read(text, JSON.parse);
  if (value !== null && typeof value === 'object') sentBytes.set(value, text);
  return value;
}
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** Returns the bytes of a body. @param body as `readPassedJson` returned it: not a copy */
export const getSentBytes = (body: object): Buffer => sentBytes.get(body)!;

/**
 * Reads JSON of others, without changing its numbers. Its texts may contain what PostgreSQL cannot store.
 * @throws Problem invalid_json, payload_too_large
 */
export const readLosslessJson = (bytes: Buffer): unknown => read(bytes, parseLossless);

function read(bytes: Buffer, parse: (text: string) => unknown): unknown {
  if (bytes.length === 0) return undefined;
  if (!isUtf8(bytes)) throw new Problem('invalid_json', 'The body is not UTF-8.');
  const text = bytes.toString();
  checkStructure(text);
  let value: unknown;
  try {
    value = parse(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
  } catch (error) {
    throw new Problem(
      'invalid_json',
      `The body is not valid JSON: ${(error as Error).message.slice(0, 200)}`,
    );
  }
  if (SUSPECT_NAMES.test(text) && hasPrototypeName(value))
    throw new Problem('invalid_json', 'The body has a member named __proto__.');
  return value;
}
