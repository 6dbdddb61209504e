/**
 * Parses JSON of others: bodies, answers of channels and providers, callbacks, cells of imports, rendered templates.
 * Size, number of values and depth are checked before anything is built from the text. A parse blocks the event loop, and
 * what it costs is decided by the values, not by the bytes: 16 MiB of `[],` take seconds, one string of 16 MiB 25 ms.
 *
 * The check costs a fraction of the parse: it reads bytes, skips long strings with a search, and ends at the first excess.
 */

import { findEndOfString } from './json-strings.ts';

export interface JsonBounds {
  /** Of the encoded text. */
  readonly bytes: number;
  /** Members, items, objects and arrays. */
  readonly values: number;
  /** Levels of objects and arrays, so that nothing that walks the value overflows the stack. */
  readonly depth: number;
}

/**
 * For one document of a stranger. The slowest text within these bounds, with 100,000 different names, takes 50 ms on a
 * small machine, an ordinary one less than 10. 100 updates of Telegram have up to 60,000 values.
 */
export const DEFAULT_JSON_BOUNDS: JsonBounds = { bytes: 4 * 1024 * 1024, values: 100_000, depth: 64 };

export type ForeignJsonFault = 'too_large' | 'too_many_values' | 'too_deep' | 'invalid';

/** JSON of others is invalid or exceeds its bounds. */
export class ForeignJsonError extends Error {
  override name = 'ForeignJsonError';
  readonly fault: ForeignJsonFault;
  /** Follows the name of the document: `has more than 100000 values`. */
  readonly detail: string;
  constructor(fault: ForeignJsonFault, detail: string, options?: ErrorOptions) {
    super(`The document ${detail}.`, options);
    this.fault = fault;
    this.detail = detail;
  }
}

const QUOTE = 34;
const COMMA = 44;
const OPEN_ARRAY = 91;
const CLOSE_ARRAY = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;
/** @throws ForeignJsonError too_large, too_many_values, too_deep */
function checkBounds(bytes: Buffer, bounds: JsonBounds): void {
  if (bytes.length > bounds.bytes)
    throw new ForeignJsonError('too_large', `is larger than ${bounds.bytes} bytes`);
  let depth = 0;
  let values = 1;
  for (let at = 0; at < bytes.length; at++) {
    const code = bytes[at];
    if (code === QUOTE) at = findEndOfString(bytes, at + 1);
    else if (code === COMMA) values++;
    else if (code === OPEN_ARRAY || code === OPEN_OBJECT) {
      values++;
      if (++depth > bounds.depth)
        throw new ForeignJsonError('too_deep', `is nested deeper than ${bounds.depth} levels`);
    } else if (code === CLOSE_ARRAY || code === CLOSE_OBJECT) depth--;
    if (values > bounds.values)
      throw new ForeignJsonError('too_many_values', `has more than ${bounds.values} values`);
  }
}

const withoutMark = (text: string): string => (text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);

/**
 * Parses JSON of others within bounds. Bytes that are not UTF-8 become U+FFFD; a byte order mark is skipped.
 * @param parse called with the text once it is known to be within the bounds: `parseLossless` to keep numbers as written
 * @throws ForeignJsonError
 */
export function parseForeignJson(
  source: Buffer | string,
  bounds: JsonBounds = DEFAULT_JSON_BOUNDS,
  parse: (text: string) => unknown = JSON.parse,
): unknown {
  const bytes = typeof source === 'string' ? Buffer.from(source) : source;
  checkBounds(bytes, bounds);
  try {
    return parse(withoutMark(typeof source === 'string' ? source : bytes.toString()));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new ForeignJsonError('invalid', `is not valid JSON: ${error.message.slice(0, 200)}`, {
      cause: error,
    });
  }
}

/** Parses JSON of others as `parseForeignJson` does; undefined if it is no JSON or beyond the bounds. */
export function tryParseForeignJson(
  source: Buffer | string,
  bounds?: JsonBounds,
  parse?: (text: string) => unknown,
): unknown {
  try {
    return parseForeignJson(source, bounds, parse);
  } catch (error) {
    if (!(error instanceof ForeignJsonError)) throw error;
    return undefined;
  }
}
