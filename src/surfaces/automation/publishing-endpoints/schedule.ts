/**
 * When something is published: the time from the payload, or now; some seconds later; and not within quiet hours, which
 * are what the clocks of a time zone show, whatever summer time does to them: where clocks are set back, hours that come
 * twice are quiet twice, and hours that clocks skip end when the clocks are set. Pure.
 */
import { DAY, type Zone, zoneOf } from '../../../platform/time/zone.ts';
import type { ScheduleObject } from './schedule.schema.ts';

const MINUTE = 60_000;
const MAX_AHEAD = 366 * DAY;
const RFC3339 =
  /^(\d{4}-\d{2}-\d{2})[Tt ](\d{2}:\d{2})(:\d{2}(?:\.\d{1,9})?)?([Zz]|[+-](?:[01]\d|2[0-3]):?[0-5]\d)$/;
/** Up to the year 5138; 13 digits would be milliseconds. */
const SECONDS = /^\d{1,11}(\.\d{1,9})?$/;

/** Fit to be shown to whoever wrote the template. */
export interface TimeFault {
  code: 'invalid_time' | 'out_of_range';
  detail: string;
}

/** The same day again, not one that JavaScript made of a 30th of February. */
const isDay = (day: string): boolean => {
  const time = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(day);
};

function millisecondsIn(text: string): number {
  if (SECONDS.test(text)) return Math.round(Number(text) * 1_000);
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
 * @param text what a template made: RFC 3339 with its offset (seconds may be left out), or seconds since 1970
 * @returns null where it is blank
 */
export function readTime(text: string): Date | null | TimeFault {
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

export const isTimeFault = (value: Date | null | TimeFault): value is TimeFault =>
  value !== null && !(value instanceof Date);

const clockOf = (text: string): number => (Number(text.slice(0, 2)) * 60 + Number(text.slice(3))) * MINUTE;

/** `a` modulo a day, from 0. */
const inDay = (time: number): number => ((time % DAY) + DAY) % DAY;

/** The first instant after `from`, up to `to`, whose offset is another. Those at both ends differ. */
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

/** Days on which clocks are set are few and far between; that each is looked at once bounds this. */
const MAX_STEPS = 10;

/**
 * The first moment from `time` on that is not quiet.
 * @param quiet begin and end differ, and the zone is one
 */
export function afterQuietHours(time: Date, quiet: NonNullable<ScheduleObject['quiet_hours']>): Date {
  const [from, to] = [clockOf(quiet.from), clockOf(quiet.to)];
  const zone = zoneOf(quiet.time_zone);
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
 * @param at what the template for it made; no text where there is none
 * @returns null for at once
 */
export function dueAt(schedule: ScheduleObject | null, at: string, now: Date): Date | null | TimeFault {
  if (schedule === null) return null;
  const given = readTime(at);
  if (isTimeFault(given)) return given;
  const begin = given !== null && given > now ? given : now;
  const delayed = new Date(begin.getTime() + schedule.delay_seconds * 1_000);
  if (delayed.getTime() - now.getTime() > MAX_AHEAD)
    return { code: 'out_of_range', detail: 'must render a time within a year' };
  const due = schedule.quiet_hours ? afterQuietHours(delayed, schedule.quiet_hours) : delayed;
  return due > now ? due : null;
}
