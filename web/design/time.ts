/** Times as people say them, and one shared clock so that a page full of them ticks with one timer. */
import { language, t } from '../copy/text.ts';
import { useSyncExternalStore } from 'react';

const TICK_MS = 1000;
const listeners = new Set<() => void>();
let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  now = Date.now();
  timer ??= setInterval(() => {
    now = Date.now();
    for (const notify of listeners) notify();
  }, TICK_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** A value derived from the time; the component renders again only when that value changes. */
export function useFromClock<T extends string | number | boolean>(derive: (now: number) => T): T {
  return useSyncExternalStore(subscribe, () => {
    // The clock doesn't tick without listeners: newly loaded records would appear to be in the future.
    if (timer === undefined) now = Date.now();
    return derive(now);
  });
}

const HALF_MINUTE_MS = 30_000;

/** The time, rounded down to half a minute: options of a list that change would close it while it is open. */
export const useHalfMinutes = (): number =>
  useFromClock((at) => Math.floor(at / HALF_MINUTE_MS) * HALF_MINUTE_MS);

const relative = new Intl.RelativeTimeFormat(language, { numeric: 'auto', style: 'long' });
const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
];

/** "3 minutes ago", "in 29 days", "just now". @param at milliseconds since the epoch */
export function relativeTime(at: number, from: number): string {
  const seconds = Math.round((at - from) / 1000);
  if (Math.abs(seconds) < 5) return t('just now');
  for (const [unit, size] of UNITS) {
    // Days stay days for a quarter: "in 90 days" says more than "in 3 months".
    if (Math.abs(seconds) >= (unit === 'month' ? 4 * size : size)) {
      return relative.format(Math.round(seconds / size), unit);
    }
  }
  return relative.format(seconds, 'second');
}

const MINUTE_MS = 60_000;

/** A time as the value of a `datetime-local` field, in the reader's own time zone. */
export function localTime(at: string | number): string {
  const date = new Date(at);
  return new Date(date.getTime() - date.getTimezoneOffset() * MINUTE_MS).toISOString().slice(0, 16);
}

const exact = new Intl.DateTimeFormat(language === 'en' ? 'en-US' : language, {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  timeZoneName: 'short',
});

/** "Jan 15, 2026, 09:30:00 AM UTC" in the reader's own time zone. */
export const exactTime = (at: string | number): string => exact.format(new Date(at));
