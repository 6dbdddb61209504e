/** The activity of a workspace in a range, compared with the range before it. */
import type { ActivityRange } from '../../api/requests.ts';
import type { Activity } from '../../api/types.ts';
import { t } from '../../copy/text.ts';
import { type Range, rangeStart } from '../../patterns/activity/activity-range.ts';
import type { Course } from '../../patterns/activity/Bars.tsx';

/** Returns the range to request from the API: the range and, if compared, the one before. */
export const activityRange = (range: Range, current: number): ActivityRange => ({
  from: rangeStart(range, current, range.count * (range.isCompared ? 2 : 1)),
  interval: range.interval,
});

type Interval = Activity['data'][number];

export interface Measure extends Course {
  key: 'messages' | 'clicks' | 'deliveries' | 'errors';
  label: string;
  total: number;
  /** Total number of requests, including API errors; null for other measures. */
  of: number | null;
  /** Null where there is nothing to compare with. */
  before: number | null;
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
  {
    key: 'errors',
    label: t('API errors'),
    of: () => 0,
    failed: ({ requests }) => requests.errors,
  },
];

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** Returns the four measures of the overview. */
export function getMeasures(range: Range, data: readonly Interval[]): Measure[] {
  const shown = data.slice(-range.count);
  const earlier = range.isCompared ? data.slice(0, -range.count) : [];
  return MEASURES.map(({ key, label, of, failed }) => {
    const values = shown.map(of);
    // All of them failed.
    const counted = key === 'errors' && failed ? failed : of;
    return {
      key,
      label,
      values,
      failed: failed ? shown.map(failed) : null,
      starts: shown.map(({ start }) => start),
      total: sum(shown.map(counted)),
      of: key === 'errors' ? sum(shown.map(({ requests }) => requests.total)) : null,
      before: earlier.length === 0 ? null : sum(earlier.map(counted)),
    };
  });
}
