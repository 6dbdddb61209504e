/** Fields of a gateway's requests, responses and callbacks. */
import { ExactNumber } from '../../platform/json/exact-number.ts';
import { DEFAULT_JSON_BOUNDS, tryParseForeignJson } from '../../platform/json/foreign-json.ts';
import { parseLossless } from '../../platform/json/lossless-json.ts';
import type { Json } from '../contract/json.ts';

const MAX_DEPTH = 10;

/** Replaces `{name}` in all texts. Unknown names are kept. */
export function fill(template: Json, values: Readonly<Record<string, string>>, depth = 0): Json {
  if (typeof template === 'string')
    return template.replaceAll(/\{(\w+)\}/g, (found, name: string) =>
      Object.hasOwn(values, name) ? values[name]! : found,
    );
  if (template === null || typeof template !== 'object' || depth === MAX_DEPTH) return template;
  if (Array.isArray(template)) return template.map((item) => fill(item, values, depth + 1));
  return Object.fromEntries(
    Object.entries(template).map(([name, value]) => [name, fill(value, values, depth + 1)]),
  );
}

/** Values as a form or query has them. */
export const toForm = (fields: Json): URLSearchParams =>
  new URLSearchParams(
    Object.entries(fields as Record<string, Json>).map(([name, value]): [string, string] => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  );

/** Parses a body without changing its numbers, which may be IDs beyond 2^53; undefined if it is not JSON. */
export const readLossless = (body: Buffer): unknown =>
  tryParseForeignJson(body, DEFAULT_JSON_BOUNDS, parseLossless);

/** Returns the text or number at a JSON pointer; null if there is none. */
export function atPointer(json: unknown, pointer: string): string | null {
  let value = json;
  for (const name of pointer.slice(1).split('/')) {
    if (value === null || typeof value !== 'object') return null;
    const key = name.replaceAll('~1', '/').replaceAll('~0', '~');
    value = Object.hasOwn(value, key) ? (value as Record<string, unknown>)[key] : undefined;
  }
  return typeof value === 'string' || typeof value === 'number' || value instanceof ExactNumber
    ? String(value)
    : null;
}
