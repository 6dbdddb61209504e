/**
 * Converts an event's `data` to JSON that the database accepts and that receivers can handle: at most 256 KiB, for any
 * object, and without characters that PostgreSQL's jsonb rejects (NUL, halves of surrogate pairs).
 */
import { ExactNumber } from '../../platform/json/exact-number.ts';
import { parseOwnLossless } from '../../platform/json/own-json.ts';
import { storableText } from '../../platform/db/storable-text.ts';

export const MAX_BYTES = 256 * 1024;

interface Cut {
  /** Characters kept of a text. */
  text: number;
  /** Items kept of an array, and fields of an object. */
  items: number;
  /** Levels kept; deeper values become null. */
  depth: number;
}

/** Tried in order, so that small fields survive and only large ones are cut. */
const CUTS: Cut[] = [
  { text: 16_384, items: 1000, depth: 32 },
  { text: 1024, items: 100, depth: 16 },
  { text: 256, items: 20, depth: 8 },
  { text: 64, items: 8, depth: 4 },
];

function cut(value: unknown, limits: Cut): unknown {
  if (typeof value === 'string') return value.slice(0, limits.text);
  if (value === null || typeof value !== 'object' || value instanceof ExactNumber) return value;
  if (limits.depth === 0) return null;
  const inside = { ...limits, depth: limits.depth - 1 };
  if (Array.isArray(value)) return value.slice(0, limits.items).map((item) => cut(item, inside));
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, limits.items)
      .map(([name, item]) => [name, cut(item, inside)]),
  );
}

function storable(value: unknown): unknown {
  if (typeof value === 'string') return storableText(value);
  if (Array.isArray(value)) return value.map(storable);
  if (value !== null && typeof value === 'object' && !(value instanceof ExactNumber))
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [storableText(name), storable(item)]),
    );
  return value;
}

/** Characters that PostgreSQL rejects can only occur in JSON as such an escape. */
const SUSPICIOUS = /\\u(0000|d[89a-f])/i;

/** Returns JSON that PostgreSQL accepts: without characters that jsonb rejects. */
export function storableJson(data: unknown): string {
  const json = JSON.stringify(data);
  return SUSPICIOUS.test(json) ? JSON.stringify(storable(parseOwnLossless(json))) : json;
}

const fits = (json: string): boolean => Buffer.byteLength(json) <= MAX_BYTES;

/** Returns the smallest form, which always fits: only the object's identity. */
function mark(object: object): string {
  const { id, object: type } = object as { id?: unknown; object?: unknown };
  return storableJson({ object: cut({ id, object: type }, { text: 200, items: 2, depth: 1 }) });
}

/**
 * Cuts the large fields of `data` if it exceeds 256 KiB; the result never does.
 * @param data members must be JSON values
 */
export function toPayload(data: { object: object }): { json: string; truncated: boolean } {
  const whole = storableJson(data);
  if (fits(whole)) return { json: whole, truncated: false };
  const plain = parseOwnLossless(whole);
  for (const limits of CUTS) {
    const json = storableJson(cut(plain, limits));
    if (fits(json)) return { json, truncated: true };
  }
  return { json: mark(data.object), truncated: true };
}
