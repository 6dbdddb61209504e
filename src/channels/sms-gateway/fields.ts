/** Fields of a gateway's requests, responses and callbacks. */
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

/** Returns the text or number at a JSON pointer; null if there is none. */
export function atPointer(json: Json | undefined, pointer: string): string | null {
  let value: Json | undefined = json;
  for (const name of pointer.slice(1).split('/')) {
    if (value === null || typeof value !== 'object') return null;
    const key = name.replaceAll('~1', '/').replaceAll('~0', '~');
    value = Object.hasOwn(value, key) ? (value as Record<string, Json>)[key] : undefined;
  }
  return typeof value === 'string' || typeof value === 'number' ? String(value) : null;
}
