/**
 * Reading a JSON body: no `__proto__`, a bounded depth (so that nothing which walks it can be made to overflow the
 * stack), a bounded number of values, no text that PostgreSQL could not store. An empty body is no body.
 */
import { isUtf8 } from 'node:buffer';
import {
  DEFAULT_JSON_BOUNDS,
  ForeignJsonError,
  type JsonBounds,
  parseForeignJson,
} from '../json/foreign-json.ts';
import { hasSuspectNumber, parseLossless } from '../json/lossless-json.ts';
import { invalid, Problem } from './problem.ts';
import { unstorableText } from './validation.ts';

/** The bytes are bounded where they are received (body limits of routes). */
const BOUNDS: JsonBounds = { ...DEFAULT_JSON_BOUNDS, bytes: Infinity, values: 500_000 };
const SUSPECT_TEXT = /\\u(0000|d[89a-f])/i;
/** Returns whether JSON may contain text that PostgreSQL cannot store. */
export const mayBeUnstorable = (bytes: Buffer): boolean => SUSPECT_TEXT.test(bytes.toString('latin1'));

/** The name itself, or an escape of one of its letters. */
const SUSPECT_NAMES = /__proto__|\\u00(?:5f|6f|70|72|74)/i;

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
  let value: unknown;
  try {
    value = parseForeignJson(bytes, BOUNDS, parse);
  } catch (error) {
    if (!(error instanceof ForeignJsonError)) throw error;
    const isTooLarge = error.fault === 'too_large' || error.fault === 'too_many_values';
    throw new Problem(isTooLarge ? 'payload_too_large' : 'invalid_json', `The body ${error.detail}.`);
  }
  if (SUSPECT_NAMES.test(bytes.toString('latin1')) && hasPrototypeName(value))
    throw new Problem('invalid_json', 'The body has a member named __proto__.');
  return value;
}
