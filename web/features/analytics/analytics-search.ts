/** Range, time zone, comparison and filters of an analytics page: in its URL, and as parameters of the API. */
import type { AnalyticsQuery } from '../../api/analytics.ts';
import { ownZone } from '../../design/own-zone.ts';
import { useFromClock } from '../../design/time.ts';
import { type Dimension, DIMENSIONS, type RangeName } from './analytics-params.ts';

/** Left out of the URL. */
export const DEFAULT_RANGE: RangeName = '30d';

const DAYS = { '7d': 7, '30d': 30, '90d': 90 } as const;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export type Filters = Partial<Record<Dimension, string>>;

export interface AnalyticsSearch extends Filters {
  range?: RangeName;
  /** Dates of a `custom` range, both inclusive. */
  from?: string;
  to?: string;
  /** IANA name; the browser's time zone if absent. */
  tz?: string;
  compare?: true;
}

export type Change<S> = { [K in keyof S]?: S[K] | undefined };

/** Returns the date in a time zone: `2026-01-15`. */
export const dateIn = (timeZone: string, at: number): string =>
  new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' }).format(
    at,
  );

export const daysBefore = (day: string, days: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) - days * DAY_MS).toISOString().slice(0, 10);

/** Returns the start of a range, rounded to the hour or the day so that it changes rarely. */
function getBegin(name: RangeName, timeZone: string, now: number): string {
  if (name === '24h') return new Date(Math.floor(now / HOUR_MS) * HOUR_MS - 23 * HOUR_MS).toISOString();
  const days = name === 'custom' ? DAYS['30d'] : DAYS[name];
  return daysBefore(dateIn(timeZone, now), days - 1);
}

export const getFilters = (search: AnalyticsSearch): Filters =>
  Object.fromEntries(
    DIMENSIONS.flatMap((name) => (search[name] === undefined ? [] : [[name, search[name]]])),
  );

/** Returns the change that clears the filters. */
export const withoutFilters = (): Change<Filters> =>
  Object.fromEntries(DIMENSIONS.map((name) => [name, undefined]));

/** Returns range, time zone, comparison and filters as parameters of the API. */
export function useAsked(search: AnalyticsSearch): AnalyticsQuery {
  const { range: name = DEFAULT_RANGE, tz = ownZone() } = search;
  const begin = useFromClock((now) => getBegin(name, tz, now));
  const isCustom = name === 'custom' && search.from !== undefined && search.to !== undefined;
  return {
    ...(isCustom ? { from: search.from!, to: search.to! } : { from: begin }),
    time_zone: tz,
    compare: search.compare && 'previous_period',
    ...getFilters(search),
  };
}

/** Returns the parameters that are kept when another analytics page is opened. */
export const carried = ({ range: name, from, to, tz, compare: compared, ...rest }: AnalyticsSearch) => ({
  ...(name && { range: name }),
  ...(from && { from }),
  ...(to && { to }),
  ...(tz && { tz }),
  ...(compared && { compare: compared }),
  ...getFilters(rest),
});
