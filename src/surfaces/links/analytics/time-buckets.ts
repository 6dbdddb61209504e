/**
 * Intervals of time as people of a zone count them. Buckets follow each other without a gap: a day begins when clocks
 * there first show a new date, so it has 23 or 25 hours where they are set; an hour begins with each full hour of the
 * clock, and where clocks are set by half an hour (Australia/Lord_Howe) one of them is half as long.
 */
import { DAY, HOUR, QUARTER, type Zone } from '../../../platform/time/zone.ts';

export const INTERVALS = ['quarter_hour', 'hour', 'day', 'week', 'month'] as const;
export type Interval = (typeof INTERVALS)[number];

/** Points of a series. */
export const MAX_POINTS = 1_000;

export interface Range {
  /** Milliseconds since 1970, on a quarter of an hour. */
  from: number;
  /** Not in it. */
  to: number;
}

/** From its first to its last click as fine as a chart can show. */
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

/** Starts of buckets, without an end: the first one holds `from`. */
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
    // A date that was never there (Samoa's 30th of December 2011) begins with the next one.
    if (at > last) yield at;
    last = at;
  }
}

/**
 * Starts of all buckets that the range touches, and behind them the end of the last.
 * @returns null where there are more than MAX_POINTS
 */
export function bucketBounds(zone: Zone, interval: Interval, { from, to }: Range): number[] | null {
  const bounds: number[] = [];
  for (const at of starts(zone, interval, from)) {
    bounds.push(at);
    if (at >= to) return bounds;
    if (bounds.length > MAX_POINTS) return null;
  }
  throw new Error('starts have no end');
}

/** The same time by clocks there, that much of their time earlier; on a quarter of an hour. */
export const earlier = (zone: Zone, instant: number, wallTime: number): number =>
  floorTo(zone.fromWall(zone.toWall(instant) - wallTime), QUARTER);

/** How far clocks go in the range. */
export const wallLength = (zone: Zone, { from, to }: Range): number => zone.toWall(to) - zone.toWall(from);
