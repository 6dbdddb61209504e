/**
 * Splits a range into segments of roll-ups. Domains and workspaces: full UTC days, hours at the edges, and quarter
 * hours if the range starts or ends within an hour. Links, which have no hourly roll-ups: full days, and quarter hours
 * of days. A month thus reads about thirty rows, however many clicks there were.
 */
import { DAY, HOUR, QUARTER } from '../../../platform/time/zone.ts';
import { ceilTo, floorTo, type Range } from './time-buckets.ts';

export interface Segment extends Range {
  resolution: 'day' | 'hour';
  /** Only these quarter hours of one hour or day, `below` excluded; null for all. */
  quarters: [first: number, below: number] | null;
}

function partOf(resolution: 'day' | 'hour', from: number, to: number): Segment {
  const length = resolution === 'day' ? DAY : HOUR;
  const begin = floorTo(from, length);
  const quarters: [number, number] = [(from - begin) / QUARTER, (to - begin) / QUARTER];
  return { resolution, from: begin, to: begin + length, quarters };
}

const whole = (resolution: 'day' | 'hour', from: number, to: number): Segment[] =>
  from < to ? [{ resolution, from, to, quarters: null }] : [];

/** Splits a range for domains and workspaces. @param range in quarter hours; may be empty */
export function segmentsOf({ from, to }: Range): Segment[] {
  if (from >= to) return [];
  const [firstHour, lastHour] = [ceilTo(from, HOUR), floorTo(to, HOUR)];
  if (firstHour > lastHour) return [partOf('hour', from, to)];
  const parts: Segment[] = [];
  if (from < firstHour) parts.push(partOf('hour', from, firstHour));
  const [firstDay, lastDay] = [ceilTo(firstHour, DAY), floorTo(lastHour, DAY)];
  if (firstDay >= lastDay) parts.push(...whole('hour', firstHour, lastHour));
  else
    parts.push(
      ...whole('hour', firstHour, firstDay),
      ...whole('day', firstDay, lastDay),
      ...whole('hour', lastDay, lastHour),
    );
  if (lastHour < to) parts.push(partOf('hour', lastHour, to));
  return parts;
}

/** Splits a range for links. @param range in quarter hours; may be empty */
export function linkSegmentsOf({ from, to }: Range): Segment[] {
  if (from >= to) return [];
  const [firstDay, lastDay] = [ceilTo(from, DAY), floorTo(to, DAY)];
  if (firstDay > lastDay) return [partOf('day', from, to)];
  return [
    ...(from < firstDay ? [partOf('day', from, firstDay)] : []),
    ...whole('day', firstDay, lastDay),
    ...(lastDay < to ? [partOf('day', lastDay, to)] : []),
  ];
}

/** Returns the maximum number of rows of a segment in one scope. */
export const rowsOf = ({ resolution, from, to }: Segment): number =>
  (to - from) / (resolution === 'day' ? DAY : HOUR);
