/** Reads fields of JSON that was received: a field of another type counts as missing. */
import type { Json } from '../contract/json.ts';

export type JsonObject = { [name: string]: Json };

const MAX_ITEMS = 1000;

export const readObject = (json: Json | undefined): JsonObject | null =>
  json !== null && typeof json === 'object' && !Array.isArray(json) ? json : null;

/** Returns the objects in a list, at most 1,000. */
export const readObjects = (json: Json | undefined): JsonObject[] =>
  Array.isArray(json)
    ? json
        .slice(0, MAX_ITEMS)
        .map(readObject)
        .filter((item) => item !== null)
    : [];

/** Returns a text or a number as text; null if it is empty. */
export function readText(json: Json | undefined): string | null {
  if (typeof json === 'number' && Number.isFinite(json)) return String(json);
  return typeof json === 'string' && json !== '' ? json : null;
}

export function readNumberField(json: Json | undefined): number | null {
  const value = typeof json === 'string' && json.trim() !== '' ? Number(json) : json;
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

/** Reads seconds since 1970. */
export function readTime(json: Json | undefined): Date | null {
  const seconds = readNumberField(json);
  return seconds !== null && seconds > 0 && seconds < 100_000_000_000 ? new Date(seconds * 1000) : null;
}
