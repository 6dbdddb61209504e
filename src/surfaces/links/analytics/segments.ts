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

function partialSegment(resolution: 'day' | 'hour', from: number, to: number): Segment {
  const length = resolution === 'day' ? DAY : HOUR;
  const begin = floorTo(from, length);
  const quarters: [number, number] = [(from - begin) / QUARTER, (to - begin) / QUARTER];
  return { resolution, from: begin, to: begin + length, quarters };
}

const wholeSegments = (resolution: 'day' | 'hour', from: number, to: number): Segment[] =>
  from < to ? [{ resolution, from, to, quarters: null }] : [];

/** Splits a range for domains and workspaces. @param range in quarter hours; may be empty */
export function splitRange({ from, to }: Range): Segment[] {
  if (from >= to) return [];
  const [firstHour, lastHour] = [ceilTo(from, HOUR), floorTo(to, HOUR)];
  if (firstHour > lastHour) return [partialSegment('hour', from, to)];
  const parts: Segment[] = [];
  if (from < firstHour) parts.push(partialSegment('hour', from, firstHour));
  const [firstDay, lastDay] = [ceilTo(firstHour, DAY), floorTo(lastHour, DAY)];
  if (firstDay >= lastDay) parts.push(...wholeSegments('hour', firstHour, lastHour));
  else
    parts.push(
      ...wholeSegments('hour', firstHour, firstDay),
      ...wholeSegments('day', firstDay, lastDay),
      ...wholeSegments('hour', lastDay, lastHour),
    );
  if (lastHour < to) parts.push(partialSegment('hour', lastHour, to));
  return parts;
}

/** Splits a range for links. @param range in quarter hours; may be empty */
export function splitLinkRange({ from, to }: Range): Segment[] {
  if (from >= to) return [];
  const [firstDay, lastDay] = [ceilTo(from, DAY), floorTo(to, DAY)];
  if (firstDay > lastDay) return [partialSegment('day', from, to)];
  return [
    ...(from < firstDay ? [partialSegment('day', from, firstDay)] : []),
    ...wholeSegments('day', firstDay, lastDay),
    ...(lastDay < to ? [partialSegment('day', lastDay, to)] : []),
  ];
}

/** Returns the maximum number of rows of a segment in one scope. */
export const countRows = ({ resolution, from, to }: Segment): number =>
  (to - from) / (resolution === 'day' ? DAY : HOUR);
