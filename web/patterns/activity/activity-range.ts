/** Ranges of hourly counts that a page can show. */
import { t } from '../../copy/text.ts';
import { intervalLabels } from '../../design/interval-text.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export type RangeName = '24h' | '7d' | '30d';

export interface Range {
  name: RangeName;
  label: string;
  interval: 'hour' | 'day';
  /** Intervals, with the current one. */
  count: number;
  /** Whether the API still has the range before it. */
  isCompared: boolean;
}

export const DEFAULT_RANGE: RangeName = '7d';

export const RANGES: readonly Range[] = [
  { name: '24h', label: t('24 hours'), interval: 'hour', count: 24, isCompared: true },
  { name: '7d', label: t('7 days'), interval: 'day', count: 7, isCompared: true },
  // Counts are kept for 31 days.
  { name: '30d', label: t('30 days'), interval: 'day', count: 30, isCompared: false },
];

export const getRange = (name: RangeName = DEFAULT_RANGE): Range =>
  RANGES.find((range) => range.name === name)!;

const getLength = ({ interval }: Range): number => (interval === 'hour' ? HOUR_MS : DAY_MS);

/** Returns the start of the current interval, from which everything else follows. */
export const currentInterval = (range: Range, now: number): number =>
  Math.floor(now / getLength(range)) * getLength(range);

/**
 * Returns the start of the range. @param count number of intervals, including the current one; defaults to the range's
 */
export const rangeStart = (range: Range, current: number, count = range.count): string =>
  new Date(current - (count - 1) * getLength(range)).toISOString();

/** Formats the intervals of a range. Days are in UTC. */
export const rangeLabels = (range: Range) =>
  intervalLabels(
    range.interval,
    range.interval === 'day' ? 'UTC' : undefined,
    range.count * getLength(range),
  );
