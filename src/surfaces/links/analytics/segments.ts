/**
 * Which roll-ups a range is made of. Of a domain or workspace: whole UTC days, hours at its edges, and quarters of an
 * hour where it begins or ends within one. Of a link, which has no hours: whole days, and quarters of days. So a month
 * reads some thirty rows, whatever was clicked.
 */
import { DAY, HOUR, QUARTER } from '../../../platform/time/zone.ts';
import { ceilTo, floorTo, type Range } from './time-buckets.ts';

export interface Segment extends Range {
  resolution: 'day' | 'hour';
  /** Of one hour or day, only these quarters of an hour: from the first, below the last. All otherwise. */
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

/** Of a domain or workspace. @param range on quarters of an hour; without any part where it is empty */
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

/** Of a link. @param range on quarters of an hour; without any part where it is empty */
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

/** Rows that a segment can have in one scope. */
export const rowsOf = ({ resolution, from, to }: Segment): number =>
  (to - from) / (resolution === 'day' ? DAY : HOUR);
