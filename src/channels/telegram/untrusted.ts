/**
 * Reads values from Telegram or from a server in its place: the compiler checks names, and this module checks values at
 * run time.
 */

/** An object whose member names are known and whose values are not. */
export type Untrusted<T> = { readonly [Name in keyof T]?: unknown };

// oxlint-disable-next-line typescript/no-generated-empty-object-type -- all members are optional
export const object = <T extends object>(value: unknown): Untrusted<T> | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null;

export const integer = (value: unknown): number | null =>
  typeof value === 'number' && Number.isSafeInteger(value) ? value : null;

export const finite = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null;

/** Returns text with at most `max` UTF-16 units; null if the value is not text. */
export const text = (value: unknown, max: number): string | null =>
  typeof value === 'string' ? value.slice(0, max) : null;

/** Returns at most `max` items; empty if it is no list. */
export const list = (value: unknown, max: number): readonly unknown[] =>
  Array.isArray(value) ? value.slice(0, max) : [];

/** Reads Unix time in seconds; `now` if the value is not a time. */
export function time(value: unknown, now: Date): Date {
  const seconds = integer(value);
  return seconds !== null && seconds > 0 && seconds < 1e11 ? new Date(seconds * 1000) : now;
}
