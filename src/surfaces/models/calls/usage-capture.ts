/**
 * Finds the last `"usage": {…}` in JSON that is too large to keep, over chunks that are split anywhere.
 *
 * The search is for bytes. A key can't be mistaken for text: within a string, the quotes would be escaped.
 */
import { type JsonBounds, tryParseForeignJson } from '../../../platform/json/foreign-json.ts';
const KEY = Buffer.from('"usage"');
const MAX_BYTES = 8 * 1024;
const BOUNDS: JsonBounds = { bytes: MAX_BYTES, values: 1_000, depth: 8 };
const [QUOTE, BACKSLASH, OPEN, CLOSE, COLON] = [34, 92, 123, 125, 58];
const isSpace = (code: number): boolean => code === 32 || code === 10 || code === 13 || code === 9;

/**
 * Returns the index after the object that begins at `start`: `later` if it doesn't end here, `never` if it has more bytes
 * or levels than usage has.
 */
function findEnd(bytes: Buffer, start: number): number | 'later' | 'never' {
  let depth = 0;
  let isQuoted = false;
  const last = Math.min(bytes.length, start + MAX_BYTES);
  for (let at = start; at < last; at++) {
    const code = bytes[at];
    if (isQuoted) {
      if (code === BACKSLASH) at++;
      else if (code === QUOTE) isQuoted = false;
    } else if (code === QUOTE) isQuoted = true;
    else if (code === OPEN && ++depth > BOUNDS.depth) return 'never';
    else if (code === CLOSE && --depth === 0) return at + 1;
  }
  return last === bytes.length ? 'later' : 'never';
}

export interface UsageCapture {
  push(chunk: Buffer): void;
  /** Returns the parsed object, or null. */
  get(): object | null;
}

export function createUsageCapture(): UsageCapture {
  let found: object | null = null;
  /** The end of the pushed data, in which a key may have begun. */
  let kept: Buffer = Buffer.alloc(0);

  /** Reads the value after a key. @returns whether it may go on in the next chunk */
  const readValue = (bytes: Buffer, after: number): boolean => {
    let at = after;
    while (at < bytes.length && (isSpace(bytes[at]!) || bytes[at] === COLON)) at++;
    if (at === bytes.length) return true;
    if (bytes[at] !== OPEN) return false;
    const end = findEnd(bytes, at);
    if (typeof end !== 'number') return end === 'later';
    // If it is not JSON, there is no usage to read.
    found = (tryParseForeignJson(bytes.subarray(at, end), BOUNDS) as object | undefined) ?? found;
    return false;
  };

  return {
    push(chunk) {
      const bytes = kept.length ? Buffer.concat([kept, chunk]) : chunk;
      let keepFrom = Math.max(0, bytes.length - KEY.length);
      for (let at = bytes.indexOf(KEY); at !== -1; at = bytes.indexOf(KEY, at + KEY.length)) {
        const isEscaped = at > 0 && bytes[at - 1] === BACKSLASH;
        if (isEscaped || !readValue(bytes, at + KEY.length)) continue;
        keepFrom = Math.max(0, at - 1);
        break;
      }
      if (bytes.length - keepFrom > MAX_BYTES) keepFrom = bytes.length - KEY.length;
      kept = Buffer.from(bytes.subarray(keepFrom));
    },
    get: () => found,
  };
}
