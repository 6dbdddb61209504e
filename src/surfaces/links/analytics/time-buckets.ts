/**
 * Splits ranges into intervals of a time zone. Intervals are contiguous: a day begins when local clocks first show a
 * new date, so it has 23 or 25 hours when clocks change. An hour begins with each full hour of the local clock; where
 * clocks change by half an hour (Australia/Lord_Howe), one hour is half as long.
 */
import { DAY, HOUR, QUARTER, type Zone } from '../../../platform/time/zone.ts';

export const INTERVALS = ['quarter_hour', 'hour', 'day', 'week', 'month'] as const;
export type Interval = (typeof INTERVALS)[number];

/** Maximum number of intervals. */
export const MAX_POINTS = 1_000;

export interface Range {
  /** Milliseconds since 1970, on a quarter of an hour. */
  from: number;
  /** Exclusive. */
  to: number;
}

/** Chooses the finest interval that a chart can show for a range. */
export function intervalFor({ from, to }: Range): Interval {
  const length = to - from;
  if (length <= 6 * HOUR) return 'quarter_hour';
  if (length <= 3 * DAY) return 'hour';
  if (length <= 92 * DAY) return 'day';
  return length <= 731 * DAY ? 'week' : 'month';
}

export const floorTo = (time: number, unit: number): number => Math.floor(time / unit) * unit;
export const ceilTo = (time: number, unit: number): number => Math.ceil(time / unit) * unit;

/** 1970-01-05 was a Monday. */
const FIRST_MONDAY = 4 * DAY;

function floorWall(wall: number, interval: 'day' | 'week' | 'month'): number {
  if (interval === 'day') return floorTo(wall, DAY);
  if (interval === 'week') return floorTo(wall - FIRST_MONDAY, 7 * DAY) + FIRST_MONDAY;
  const date = new Date(wall);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth());
}

function nextWall(wall: number, interval: 'day' | 'week' | 'month'): number {
  if (interval === 'day') return wall + DAY;
  if (interval === 'week') return wall + 7 * DAY;
  const date = new Date(wall);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1);
}

/** Yields starts of intervals endlessly; the first one contains `from`. */
function* starts(zone: Zone, interval: Interval, from: number): Generator<number> {
  if (interval === 'quarter_hour') for (let at = floorTo(from, QUARTER); ; at += QUARTER) yield at;
  if (interval === 'hour') {
    const intoHour = (instant: number): number => {
      const wall = zone.toWall(instant);
      return wall - floorTo(wall, HOUR);
    };
    for (let at = from - intoHour(from); ; at += HOUR - intoHour(at)) yield at;
  }
  let last = -Infinity;
  for (let wall = floorWall(zone.toWall(from), interval); ; wall = nextWall(wall, interval)) {
    const at = zone.fromWall(wall);
    // A skipped date (Samoa's December 30, 2011) begins with the next one.
    if (at > last) yield at;
    last = at;
  }
}

/**
 * Returns the starts of all intervals that overlap the range, followed by the end of the last one.
 * @returns null if there are more than MAX_POINTS
 */
export function bucketBounds(zone: Zone, interval: Interval, { from, to }: Range): number[] | null {
  const bounds: number[] = [];
  for (const at of starts(zone, interval, from)) {
    bounds.push(at);
    if (at >= to) return bounds;
    if (bounds.length > MAX_POINTS) return null;
  }
  throw new Error('unreachable: starts is endless');
}

/** Moves an instant back by a wall-clock duration in the zone, rounded down to a quarter hour. */
export const earlier = (zone: Zone, instant: number, wallTime: number): number =>
  floorTo(zone.fromWall(zone.toWall(instant) - wallTime), QUARTER);

/** Returns the wall-clock length of a range. */
export const wallLength = (zone: Zone, { from, to }: Range): number => zone.toWall(to) - zone.toWall(from);
