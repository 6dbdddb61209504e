/** What a query asks for of time: zone, range, interval. All that is wrong with it is told at once. */
import { type FieldError, invalid } from '../../../platform/http/problem.ts';
import { ceilTo, earlier, floorTo, type Range, wallLength } from './time-buckets.ts';
import { DAY, HOUR, QUARTER, type Zone, getZone } from '../../../platform/time/zone.ts';

/** Before it there is nothing, and zones had offsets that are on no quarter of an hour. */
const EARLIEST = Date.UTC(2000, 0);
const LATEST = Date.UTC(2200, 0);
const DEFAULT_DAYS = 30;

const DATE = /^(\d{4})-(\d\d)-(\d\d)$/;
const TIME = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)$/;

export interface RangeQuery {
  time_zone?: string;
  from?: string;
  to?: string;
}

/** A date as wall time, or null where it is none. */
function readDate(text: string): number | null {
  const match = DATE.exec(text);
  if (!match) return null;
  const wall = Date.UTC(Number(match[1]), Number(match[2]) - 1, Number(match[3]));
  return new Date(wall).toISOString().startsWith(text) ? wall : null;
}

/** @param days added to a date: `to` means the end of that day */
function readTime(text: string, zone: Zone, days: number): number | null {
  const wall = readDate(text);
  const time = wall === null ? (TIME.test(text) ? Date.parse(text) : NaN) : zone.fromWall(wall + days * DAY);
  return Number.isFinite(time) ? time : null;
}

/**
 * The range in the zone, widened to whole quarters of an hour. Default: 30 days of the zone, today among
 * them, to the end of the hour that runs.
 * @throws Problem invalid_request
 */
export function readRange(query: RangeQuery, now: Date): { zone: Zone; range: Range } {
  const faults: FieldError[] = [];
  const asked = getZone(query.time_zone ?? 'UTC');
  if (!asked)
    faults.push({
      pointer: '?time_zone',
      code: 'invalid_time_zone',
      detail: 'must be an IANA time zone name, such as Europe/Berlin',
    });
  const zone = asked ?? getZone('UTC')!;
  const read = (name: 'from' | 'to', days: number): number | null => {
    const text = query[name];
    if (text === undefined) return null;
    const time = readTime(text, zone, days);
    if (time === null)
      faults.push({
        pointer: `?${name}`,
        code: 'invalid_time',
        detail: 'must be an RFC 3339 time, as 2026-01-15T09:30:00Z, or a date, as 2026-01-15',
      });
    else if (time < EARLIEST || time > LATEST)
      faults.push({ pointer: `?${name}`, code: 'out_of_range', detail: 'must be of the years 2000 to 2199' });
    return time;
  };
  const [givenFrom, givenTo] = [read('from', 0), read('to', 1)];
  if (faults.length) throw invalid(faults);
  // The hour that runs is read as a whole, and what it is compared with ends on a full hour too.
  const to = givenTo === null ? ceilTo(now.getTime(), HOUR) : ceilTo(givenTo, QUARTER);
  const today = floorTo(zone.toWall(to - 1), DAY);
  const from = floorTo(givenFrom ?? zone.fromWall(today - (DEFAULT_DAYS - 1) * DAY), QUARTER);
  if (from >= to)
    throw invalid([
      {
        pointer: givenTo === null ? '?from' : '?to',
        code: 'out_of_range',
        detail: '`to` must lie after `from`',
      },
    ]);
  return { zone, range: { from, to } };
}

/** As long by clocks of the zone, and directly before. */
export const rangeBefore = (zone: Zone, range: Range): Range => ({
  from: earlier(zone, range.from, wallLength(zone, range)),
  to: range.from,
});
