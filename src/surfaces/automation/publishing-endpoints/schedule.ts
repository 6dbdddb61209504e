/**
 * Computes when to publish: the time from the payload or now, plus a delay, moved out of quiet hours. Quiet hours
 * follow the local clock of a time zone across daylight saving changes: repeated hours are quiet twice, and quiet hours
 * that are skipped end at the change. Pure.
 */
import { DAY, type Zone, getZone } from '../../../platform/time/zone.ts';
import type { ScheduleObject } from './schedule.schema.ts';

const MINUTE = 60_000;
const MAX_AHEAD = 366 * DAY;
const RFC3339 =
  /^(\d{4}-\d{2}-\d{2})[Tt ](\d{2}:\d{2})(:\d{2}(?:\.\d{1,9})?)?([Zz]|[+-](?:[01]\d|2[0-3]):?[0-5]\d)$/;
/** A JSON number renders as it was written, so possibly with an exponent. */
const SECONDS = /^\d{1,11}(?:\.\d{1,10})?(?:[eE]\+?\d{1,2})?$/;
/** Up to the year 5138; 13 digits would be milliseconds. */
const MAX_SECONDS = 1e11;

/** Error that may be shown to the author of the template. */
export interface ScheduleError {
  code: 'invalid_time' | 'out_of_range';
  detail: string;
}

/** Rejects dates that JavaScript would roll over, such as February 30. */
const isDay = (day: string): boolean => {
  const time = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(day);
};

function millisecondsIn(text: string): number {
  if (SECONDS.test(text)) {
    const seconds = Number(text);
    return seconds < MAX_SECONDS ? Math.round(seconds * 1_000) : Number.NaN;
  }
  const match = RFC3339.exec(text);
  if (!match) return Number.NaN;
  const [, day, minute, second = ':00', offset] = match as unknown as [
    string,
    string,
    string,
    string?,
    string?,
  ];
  const zone = offset!.toUpperCase().replace(/^([+-]\d\d):?(\d\d)$/, '$1:$2');
  return isDay(day) ? Date.parse(`${day}T${minute}${second}${zone}`) : Number.NaN;
}

/**
 * Parses a rendered time.
 * @param text RFC 3339 with offset (seconds optional), or Unix time in seconds
 * @returns null if blank
 */
export function readTime(text: string): Date | null | ScheduleError {
  const given = text.trim();
  if (given === '') return null;
  const milliseconds = millisecondsIn(given);
  return Number.isNaN(milliseconds)
    ? {
        code: 'invalid_time',
        detail:
          'must render an RFC 3339 timestamp with offset, such as 2026-01-15T09:30:00Z, or Unix time in seconds',
      }
    : new Date(milliseconds);
}

export const isScheduleError = (value: Date | null | ScheduleError): value is ScheduleError =>
  value !== null && !(value instanceof Date);

const getClock = (text: string): number => (Number(text.slice(0, 2)) * 60 + Number(text.slice(3))) * MINUTE;

/** Returns the time modulo one day, never negative. */
const inDay = (time: number): number => ((time % DAY) + DAY) % DAY;

/** Returns the first instant in (`from`, `to`] with a different offset. The offsets at both ends must differ. */
function firstChange(zone: Zone, from: number, to: number): number {
  const offset = zone.offsetAt(from);
  let [below, above] = [from, to];
  while (above - below > 1) {
    const middle = Math.floor((below + above) / 2);
    if (zone.offsetAt(middle) === offset) below = middle;
    else above = middle;
  }
  return above;
}

/** Offset changes are rare, so this bound is never reached in practice. */
const MAX_STEPS = 10;

/**
 * Returns the first instant at or after `time` outside quiet hours.
 * @param quiet with a valid zone and different start and end
 */
export function afterQuietHours(time: Date, quiet: NonNullable<ScheduleObject['quiet_hours']>): Date {
  const [from, to] = [getClock(quiet.from), getClock(quiet.to)];
  const zone = getZone(quiet.time_zone);
  if (!zone || from === to) throw new Error(`quiet hours that cannot be kept: ${JSON.stringify(quiet)}`);
  const length = inDay(to - from);
  let at = time.getTime();
  for (let steps = 0; steps < MAX_STEPS; steps++) {
    const passed = inDay(zone.toWall(at) - from);
    if (passed >= length) return new Date(at);
    const end = at + length - passed;
    at = zone.offsetAt(end) === zone.offsetAt(at) ? end : firstChange(zone, at, end);
  }
  throw new Error(`quiet hours that do not end: ${JSON.stringify(quiet)}`);
}

/**
 * Returns when to publish.
 * @param at rendered template, or an empty text
 * @returns null for immediately
 */
export function dueAt(schedule: ScheduleObject | null, at: string, now: Date): Date | null | ScheduleError {
  if (schedule === null) return null;
  const given = readTime(at);
  if (isScheduleError(given)) return given;
  const begin = given !== null && given > now ? given : now;
  const delayed = new Date(begin.getTime() + schedule.delay_seconds * 1_000);
  if (delayed.getTime() - now.getTime() > MAX_AHEAD)
    return { code: 'out_of_range', detail: 'must render a time within a year' };
  const due = schedule.quiet_hours ? afterQuietHours(delayed, schedule.quiet_hours) : delayed;
  return due > now ? due : null;
}
