/** Formats the intervals of a chart in a time zone. */
import { language, t } from '../copy/text.ts';

type Interval = 'quarter_hour' | 'hour' | 'day' | 'week' | 'month';

interface Labels {
  /** For the axis. */
  short: (start: string) => string;
  /** For tooltips and the table. */
  long: (start: string) => string;
}

const DAY_MS = 86_400_000;

/**
 * @param timeZone defaults to the browser's
 * @param span milliseconds of the whole range
 */
export function intervalLabels(interval: Interval, timeZone: string | undefined, span: number): Labels {
  const formatter = (options: Intl.DateTimeFormatOptions) => {
    const format = new Intl.DateTimeFormat(language, { timeZone, hourCycle: 'h23', ...options });
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
    return { short: date, long: (start) => t('Week of {date}', { date: monday(start) }) };
  }
  const short = span > 1.5 * DAY_MS ? { weekday: 'short' as const, ...clock } : clock;
  return { short: formatter(short), long: formatter({ ...day, ...clock }) };
}

/** Returns "Oct 23 – Nov 21, 2026", both inclusive; with the time if the range is short. */
export function formatRange({ from, to }: { from: string; to: string }, timeZone: string): string {
  const [first, last] = [new Date(from), new Date(Date.parse(to) - 1)];
  const isShort = last.getTime() - first.getTime() < 2 * DAY_MS;
  return new Intl.DateTimeFormat(language, {
    timeZone,
    hourCycle: 'h23',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    ...(isShort && { hour: '2-digit', minute: '2-digit' }),
  }).formatRange(first, isShort ? new Date(to) : last);
}
