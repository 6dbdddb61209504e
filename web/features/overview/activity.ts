/** The activity of a workspace in a range, compared with the range before it. */
import type { ActivityRange } from '../../api/requests.ts';
import type { Activity } from '../../api/types.ts';
import { t } from '../../copy/text.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export type RangeName = '24h' | '7d' | '30d';

interface Range {
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

export const rangeOf = (name: RangeName = DEFAULT_RANGE): Range =>
  RANGES.find((range) => range.name === name)!;

const lengthOf = ({ interval }: Range): number => (interval === 'hour' ? HOUR_MS : DAY_MS);

/** Returns the start of the current interval, from which everything else follows. */
export const currentInterval = (range: Range, now: number): number =>
  Math.floor(now / lengthOf(range)) * lengthOf(range);

/** Returns the start of the range. */
export const rangeStart = (range: Range, current: number): string =>
  new Date(current - (range.count - 1) * lengthOf(range)).toISOString();

/** Returns what to ask the API for: the range and, if it is compared, the one before. */
export const activityRange = (range: Range, current: number): ActivityRange => ({
  from: new Date(current - (range.count * (range.isCompared ? 2 : 1) - 1) * lengthOf(range)).toISOString(),
  interval: range.interval,
});

type Interval = Activity['data'][number];

export interface Measure {
  key: 'messages' | 'clicks' | 'deliveries' | 'errors';
  label: string;
  total: number;
  /** Null where there is nothing to compare with. */
  before: number | null;
  /** One for each interval of the range. */
  values: number[];
  /** Those that failed, of each interval; null where all of them did or none can. */
  failed: number[] | null;
  /** Starts of the intervals. */
  starts: string[];
}

const MEASURES: {
  key: Measure['key'];
  label: string;
  of: (interval: Interval) => number;
  failed?: (interval: Interval) => number;
}[] = [
  {
    key: 'messages',
    label: t('Messages'),
    of: ({ messages: { inbound, outbound } }) => inbound + outbound,
    failed: ({ messages }) => messages.failed,
  },
  { key: 'clicks', label: t('Clicks'), of: ({ clicks }) => clicks },
  {
    key: 'deliveries',
    label: t('Deliveries'),
    of: ({ deliveries: { succeeded } }) => succeeded,
    failed: ({ deliveries }) => deliveries.failed,
  },
  { key: 'errors', label: t('API errors'), of: ({ requests: { errors } }) => errors },
];

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** Returns the four measures of the overview. */
export function measuresOf(range: Range, data: readonly Interval[]): Measure[] {
  const shown = data.slice(-range.count);
  const earlier = range.isCompared ? data.slice(0, -range.count) : [];
  return MEASURES.map(({ key, label, of, failed }) => {
    const values = shown.map(of);
    return {
      key,
      label,
      values,
      failed: failed ? shown.map(failed) : null,
      starts: shown.map(({ start }) => start),
      total: sum(values),
      before: earlier.length === 0 ? null : sum(earlier.map(of)),
    };
  });
}
