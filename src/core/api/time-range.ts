/** The range of queries over counts: `from` to `to`, exclusive. */
import { type FieldError, invalid } from '../../platform/http/problem.ts';
import { DAY } from '../../platform/time/zone.ts';

/** Nothing is counted before, and arithmetic on times beyond these years exceeds the range of PostgreSQL. */
const EARLIEST = Date.UTC(2000, 0);
const LATEST = Date.UTC(2200, 0);

export const outOfRange = (pointer: string, detail: string): FieldError => ({
  pointer,
  code: 'out_of_range',
  detail,
});

/** Returns the error of a time in milliseconds since 1970; null if it is in range. The start of 2200 can end a range. */
export const checkYear = (pointer: string, time: number): FieldError | null =>
  time < EARLIEST || time > LATEST ? outOfRange(pointer, 'must be in the years 2000 to 2199') : null;

/**
 * Reads the range of a query, in milliseconds since 1970.
 * @param defaultDays length of the range if `from` is absent
 * @throws Problem invalid_request if a time is out of range, or the range is empty
 */
export function readTimeRange(
  query: { from?: string; to?: string },
  now: Date,
  defaultDays: number,
): { from: number; to: number } {
  const to = query.to === undefined ? now.getTime() : Date.parse(query.to);
  const from = query.from === undefined ? to - defaultDays * DAY : Date.parse(query.from);
  const errors = [
    query.from === undefined ? null : checkYear('?from', from),
    query.to === undefined ? null : checkYear('?to', to),
  ].filter((error) => error !== null);
  if (errors.length) throw invalid(errors);
  if (from >= to) throw invalid([outOfRange(query.to ? '?to' : '?from', '`to` must be later than `from`')]);
  return { from, to };
}
