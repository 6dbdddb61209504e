/**
 * Which roll-ups a range is made of: whole UTC days, hours at its edges, and quarters of an hour where it begins or ends
 * within one. So a month reads some thirty rows, whatever was clicked.
 */
import { DAY, HOUR, QUARTER } from './zone.ts';
import { ceilTo, floorTo, type Range } from './time-buckets.ts';

export interface Segment extends Range {
  resolution: 'day' | 'hour';
  /** Of one hour, only these quarters: from the first (0 to 3), below the last (1 to 4). All otherwise. */
  quarters: [first: number, below: number] | null;
}

function partOfHour(from: number, to: number): Segment {
  const hour = floorTo(from, HOUR);
  const quarters: [number, number] = [(from - hour) / QUARTER, (to - hour) / QUARTER];
  return { resolution: 'hour', from: hour, to: hour + HOUR, quarters };
}

const whole = (resolution: 'day' | 'hour', from: number, to: number): Segment[] =>
  from < to ? [{ resolution, from, to, quarters: null }] : [];

/** @param range on quarters of an hour; without any part where it is empty */
export function segmentsOf({ from, to }: Range): Segment[] {
  if (from >= to) return [];
  const [firstHour, lastHour] = [ceilTo(from, HOUR), floorTo(to, HOUR)];
  if (firstHour > lastHour) return [partOfHour(from, to)];
  const parts: Segment[] = [];
  if (from < firstHour) parts.push(partOfHour(from, firstHour));
  const [firstDay, lastDay] = [ceilTo(firstHour, DAY), floorTo(lastHour, DAY)];
  if (firstDay >= lastDay) parts.push(...whole('hour', firstHour, lastHour));
  else
    parts.push(
      ...whole('hour', firstHour, firstDay),
      ...whole('day', firstDay, lastDay),
      ...whole('hour', lastDay, lastHour),
    );
  if (lastHour < to) parts.push(partOfHour(lastHour, to));
  return parts;
}

/** Rows that a segment can have in one scope. */
export const rowsOf = ({ resolution, from, to }: Segment): number =>
  (to - from) / (resolution === 'day' ? DAY : HOUR);
