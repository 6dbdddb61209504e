/** Parses time zone and range of an analytics query. All errors are reported together. */
import { type FieldError, invalid } from '../../../platform/http/problem.ts';
import { checkYear } from '../../../core/api/time-range.ts';
import { ceilTo, earlier, floorTo, type Range, wallLength } from './time-buckets.ts';
import { DAY, HOUR, QUARTER, type Zone, getZone } from '../../../platform/time/zone.ts';

const DEFAULT_DAYS = 30;

const DATE = /^(\d{4})-(\d\d)-(\d\d)$/;
const TIME = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)$/;

export interface RangeQuery {
  time_zone?: string;
  from?: string;
  to?: string;
}

/** Parses a date as wall time; null if it is invalid. */
function readDate(text: string): number | null {
  const match = DATE.exec(text);
  if (!match) return null;
  const wall = Date.UTC(Number(match[1]), Number(match[2]) - 1, Number(match[3]));
  return new Date(wall).toISOString().startsWith(text) ? wall : null;
}

/** Parses a time, or a date in the zone. @param days added to a date: 1 for `to`, which means the end of that day */
function readTime(text: string, zone: Zone, days: number): number | null {
  const wall = readDate(text);
  const time = wall === null ? (TIME.test(text) ? Date.parse(text) : NaN) : zone.fromWall(wall + days * DAY);
  return Number.isFinite(time) ? time : null;
}

/**
 * Parses the range in the zone and widens it to full quarter hours. Default: the last 30 days in the zone, including
 * today, up to the end of the current hour.
 * @throws Problem invalid_request
 */
export function readRange(query: RangeQuery, now: Date): { zone: Zone; range: Range } {
  const errors: FieldError[] = [];
  const requested = getZone(query.time_zone ?? 'UTC');
  if (!requested)
    errors.push({
      pointer: '?time_zone',
      code: 'invalid_time_zone',
      detail: 'must be an IANA time zone name, such as Europe/Berlin',
    });
  const zone = requested ?? getZone('UTC')!;
  const read = (name: 'from' | 'to', days: number): number | null => {
    const text = query[name];
    if (text === undefined) return null;
    const time = readTime(text, zone, days);
    if (time === null)
      errors.push({
        pointer: `?${name}`,
        code: 'invalid_time',
        detail: 'must be an RFC 3339 timestamp such as 2026-01-15T09:30:00Z, or a date such as 2026-01-15',
      });
    else {
      // Before the year 2000, offsets of zones are not multiples of a quarter hour.
      const error = checkYear(`?${name}`, time);
      if (error) errors.push(error);
    }
    return time;
  };
  const [requestedFrom, requestedTo] = [read('from', 0), read('to', 1)];
  if (errors.length) throw invalid(errors);
  // The current hour is included as a whole, so that the previous period ends on a full hour too.
  const to = requestedTo === null ? ceilTo(now.getTime(), HOUR) : ceilTo(requestedTo, QUARTER);
  const today = floorTo(zone.toWall(to - 1), DAY);
  const from = floorTo(requestedFrom ?? zone.fromWall(today - (DEFAULT_DAYS - 1) * DAY), QUARTER);
  if (from >= to)
    throw invalid([
      {
        pointer: requestedTo === null ? '?from' : '?to',
        code: 'out_of_range',
        detail: '`to` must be later than `from`',
      },
    ]);
  return { zone, range: { from, to } };
}

/** Returns the range of the same wall-clock length directly before. */
export const rangeBefore = (zone: Zone, range: Range): Range => ({
  from: earlier(zone, range.from, wallLength(zone, range)),
  to: range.from,
});
