/** Parsers for the search parameters of a page: filters, the opened row, an open dialog. */

type Reader<T> = (value: unknown) => T | undefined;

type Read<R> = { [K in keyof R]?: R[K] extends Reader<infer T> ? T : never };

/** Parses each named parameter; invalid values count as absent. */
export const searchParams =
  <R extends Record<string, Reader<unknown>>>(readers: R) =>
  (raw: Record<string, unknown>): Read<R> =>
    Object.fromEntries(
      Object.entries(readers)
        .map(([name, read]) => [name, read(raw[name])] as const)
        .filter(([, value]) => value !== undefined),
    ) as Read<R>;

/** A string; a value that looks like a number stays as written. */
export const text: Reader<string> = (value) => {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
};

export const oneOf =
  <const T extends string>(...allowed: readonly T[]): Reader<T> =>
  (value) =>
    allowed.find((candidate) => candidate === value);

/** True, or absent: a flag that is off is not in the address. */
export const flag: Reader<true> = (value) => (value === true ? true : undefined);

/** A date: `2026-01-15`. */
export const date: Reader<string> = (value) =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value) ? value : undefined;
