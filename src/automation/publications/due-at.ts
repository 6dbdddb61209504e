/**
 * When something is published: the time from the payload, or the receipt; some seconds later; and not within quiet hours,
 * which are hours of the clock in a time zone, whatever its summer time does to them.
 */
import type { ScheduleObject } from '../publishing-endpoints/schedule.schema.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const MOST_AHEAD_MS = 366 * DAY_MS;
const RFC3339 = /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?([Zz]|[+-]\d{2}:?\d{2})$/;
const SECONDS = /^\d{1,11}(\.\d+)?$/;

/** Fit to be shown to whoever wrote the template. */
export interface TimeFault {
  code: 'invalid_time' | 'out_of_range';
  detail: string;
}

/** @param text what the template made. @returns null where that is nothing */
export function readTime(text: string): Date | null | TimeFault {
  const given = text.trim();
  if (given === '') return null;
  const ms = SECONDS.test(given)
    ? Number(given) * 1000
    : RFC3339.test(given)
      ? Date.parse(given.replace(' ', 'T').toUpperCase())
      : Number.NaN;
  return Number.isNaN(ms)
    ? {
        code: 'invalid_time',
        detail: 'made no time: give RFC 3339 with its offset, as 2026-01-15T09:30:00Z, or seconds since 1970',
      }
    : new Date(ms);
}

interface Clock {
  /** Of the day. */
  minute: number;
  /** UTC midnight of the date that the calendar shows there. */
  date: number;
}

const formats = new Map<string, Intl.DateTimeFormat>();
const MOST_FORMATS = 500;

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known) return known;
  if (formats.size >= MOST_FORMATS) formats.clear();
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  });
  formats.set(timeZone, format);
  return format;
}

function clockAt(timeZone: string, time: Date): Clock {
  const parts = new Map(
    formatOf(timeZone)
      .formatToParts(time)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const of = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type)!;
  return { minute: of('hour') * 60 + of('minute'), date: Date.UTC(of('year'), of('month') - 1, of('day')) };
}

/** When clocks in a zone show a minute of a date. Where they pass over it, as much later as they are set forward. */
function timeOf(timeZone: string, date: number, minute: number): Date {
  const wanted = date + minute * MINUTE_MS;
  const shownAt = (time: number): number => {
    const clock = clockAt(timeZone, new Date(time));
    return clock.date + clock.minute * MINUTE_MS;
  };
  // The offset there is not known before the time is: the second guess has the right one, but where clocks are set.
  const first = wanted - (shownAt(wanted) - wanted);
  const second = first + (wanted - shownAt(first));
  return new Date(shownAt(second) < wanted ? Math.max(first, second) : second);
}

const minuteOf = (clock: string): number => Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3));

/** @returns the time itself, or the end of the quiet hours that it falls into */
export function afterQuietHours(time: Date, quiet: NonNullable<ScheduleObject['quiet_hours']>): Date {
  const [from, to] = [minuteOf(quiet.from), minuteOf(quiet.to)];
  const { minute, date } = clockAt(quiet.time_zone, time);
  const overMidnight = to <= from;
  const isQuiet = overMidnight ? minute >= from || minute < to : minute >= from && minute < to;
  if (!isQuiet) return time;
  const endsTomorrow = overMidnight && minute >= from;
  return timeOf(quiet.time_zone, endsTomorrow ? date + DAY_MS : date, to);
}

/**
 * @param at what the template for it made; no text where there is none
 * @returns null for at once
 */
export function dueAt(schedule: ScheduleObject | null, at: string, now: Date): Date | null | TimeFault {
  if (schedule === null) return null;
  const given = readTime(at);
  if (given !== null && !(given instanceof Date)) return given;
  const from = given !== null && given > now ? given : now;
  const delayed = new Date(from.getTime() + schedule.delay_seconds * 1000);
  const due = schedule.quiet_hours ? afterQuietHours(delayed, schedule.quiet_hours) : delayed;
  if (due.getTime() - now.getTime() > MOST_AHEAD_MS)
    return { code: 'out_of_range', detail: 'made a time that is not within a year' };
  return due > now ? due : null;
}
