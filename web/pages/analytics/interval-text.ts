/** How intervals of time are named, by clocks of a time zone. */
import type { Analytics } from '../../api/analytics.ts';

type Interval = NonNullable<Analytics['interval']>;

interface Labels {
  /** Under the drawing. */
  short: (start: string) => string;
  /** Where one interval is told of. */
  long: (start: string) => string;
}

const DAY_MS = 86_400_000;

/** @param span milliseconds of the whole range */
export function intervalLabels(interval: Interval, timeZone: string, span: number): Labels {
  const formatter = (options: Intl.DateTimeFormatOptions) => {
    const format = new Intl.DateTimeFormat('en-GB', { timeZone, ...options });
    return (start: string) => format.format(new Date(start));
  };
  const clock = { hour: '2-digit', minute: '2-digit' } as const;
  const day = { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' } as const;
  if (interval === 'month')
    return {
      short: formatter({ month: 'short', year: '2-digit' }),
      long: formatter({ month: 'long', year: 'numeric' }),
    };
  const date = formatter({ day: 'numeric', month: 'short' });
  if (interval === 'day') return { short: date, long: formatter(day) };
  if (interval === 'week') {
    const monday = formatter({ day: 'numeric', month: 'short', year: 'numeric' });
    return { short: date, long: (start) => `Week of ${monday(start)}` };
  }
  const short = span > 1.5 * DAY_MS ? { weekday: 'short' as const, ...clock } : clock;
  return { short: formatter(short), long: formatter({ ...day, ...clock }) };
}

/** "23 Oct – 21 Nov 2026", both in it; with the time where the range is short. */
export function rangeSaid({ from, to }: { from: string; to: string }, timeZone: string): string {
  const [first, last] = [new Date(from), new Date(Date.parse(to) - 1)];
  const isShort = last.getTime() - first.getTime() < 2 * DAY_MS;
  return new Intl.DateTimeFormat('en-GB', {
    timeZone,
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    ...(isShort && { hour: '2-digit', minute: '2-digit' }),
  }).formatRange(first, isShort ? new Date(to) : last);
}
