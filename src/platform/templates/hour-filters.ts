/**
 * Whether a time of day lies between two others, which conditions could not ask otherwise:
 * `event.created_at | is_between: "09:00", "17:00", "Europe/Berlin"`. The end is not in it; from the evening to the
 * morning goes over midnight.
 */
import { plain } from './values.ts';

const TIME = /^([01]?\d|2[0-3]):([0-5]\d)$/;
const MAX_ZONES = 100;
const clocks = new Map<string, Intl.DateTimeFormat>();

/** @throws Error for a zone that there is not */
function getClock(zone: string): Intl.DateTimeFormat {
  let clock = clocks.get(zone);
  if (!clock) {
    try {
      clock = new Intl.DateTimeFormat('en-GB', { timeZone: zone, hour: '2-digit', minute: '2-digit' });
    } catch {
      throw new Error(`${JSON.stringify(zone.slice(0, 60))} is not an IANA time zone such as Europe/Berlin`);
    }
    if (clocks.size >= MAX_ZONES) clocks.clear();
    clocks.set(zone, clock);
  }
  return clock;
}

/** Minutes since midnight. @throws Error */
function toMinutes(text: string): number {
  const [, hours, minutes] = TIME.exec(text.trim()) ?? [];
  if (hours === undefined || minutes === undefined)
    throw new Error(`${JSON.stringify(text.slice(0, 20))} is not a time of day such as 09:00`);
  return Number(hours) * 60 + Number(minutes);
}

/** @param zone UTC by default. @throws Error where one of them can't be read */
export function isBetween(value: unknown, from: unknown, to: unknown, zone: unknown = 'UTC'): boolean {
  const time = new Date(value instanceof Date ? value : plain(value));
  if (Number.isNaN(time.getTime()))
    throw new Error(`${JSON.stringify(plain(value).slice(0, 60))} is not a time`);
  const at = toMinutes(getClock(plain(zone)).format(time));
  const [begin, end] = [toMinutes(plain(from)), toMinutes(plain(to))];
  return begin <= end ? at >= begin && at < end : at >= begin || at < end;
}

export const hourFilters = {
  is_between: isBetween,
  is_outside: (value: unknown, from: unknown, to: unknown, zone?: unknown) =>
    !isBetween(value, from, to, zone),
};
