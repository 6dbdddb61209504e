/** The range and the intervals of queries over hourly counts. All times are UTC. */
import Type, { type Static } from 'typebox';
import { invalid } from '../../platform/http/problem.ts';
import { Enum, Timestamp } from '../../platform/http/schema.ts';
import { DAY, HOUR } from '../../platform/time/zone.ts';
import { outOfRange, readTimeRange } from './time-range.ts';

export const STATS_INTERVALS = ['hour', 'day'] as const;
export type StatsInterval = (typeof STATS_INTERVALS)[number];

/** Days for which hourly counts are kept. */
export const STATS_KEPT_DAYS = 31;
const DEFAULT_DAYS = 7;
/** Ranges of up to this length are divided into hours by default. */
const HOURS_UP_TO = 3 * DAY;

export const statsRangeQuery = {
  from: Type.Optional(Timestamp('Start of the range. Default: 7 days before `to`.')),
  to: Type.Optional(Timestamp('End of the range (exclusive). Default: now.')),
  interval: Type.Optional(
    Enum(STATS_INTERVALS, {
      description:
        'Length of the intervals, which start with the UTC hour or day. Default: `hour` for up to 3 days, else `day`.',
      examples: ['day'],
    }),
  ),
};

export const statsRangeFields = {
  from: Timestamp('Start of the range: as requested, widened to full intervals.'),
  to: Timestamp('End of the range (exclusive).'),
  interval: Enum(STATS_INTERVALS, { description: 'Length of the intervals.', examples: ['day'] }),
};

const Query = Type.Object(statsRangeQuery);
type RangeQuery = Static<typeof Query>;

export interface StatsRange {
  from: Date;
  /** Exclusive. */
  to: Date;
  interval: StatsInterval;
  /** Starts of all intervals, in order. */
  starts: Date[];
}

/** @throws Problem invalid_request if the range is invalid, or longer than counts are kept */
export function readStatsRange(query: RangeQuery, now: Date): StatsRange {
  const { from, to } = readTimeRange(query, now, DEFAULT_DAYS);
  if (to - from > STATS_KEPT_DAYS * DAY)
    throw invalid([outOfRange('?from', `the range must be at most ${STATS_KEPT_DAYS} days long`)]);
  const interval = query.interval ?? (to - from <= HOURS_UP_TO ? 'hour' : 'day');
  const length = interval === 'hour' ? HOUR : DAY;
  const [first, end] = [Math.floor(from / length) * length, Math.ceil(to / length) * length];
  const starts = Array.from({ length: (end - first) / length }, (_, n) => new Date(first + n * length));
  return { from: new Date(first), to: new Date(end), interval, starts };
}
