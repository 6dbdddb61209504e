/** The range of the usage page, in UTC days: in its URL, and as parameters of the API. */
import type { ModelUsageQuery, UsageGroup } from '../../api/model-usage.ts';
import { useFromClock } from '../../design/time.ts';

export const RANGES = ['7d', '30d', '90d', 'custom'] as const;
export type RangeName = (typeof RANGES)[number];

export interface UsageSearch {
  /** 30 days if absent. */
  range?: Exclude<RangeName, '30d'>;
  /** Dates of a custom range, both inclusive. */
  from?: string;
  to?: string;
  /** What the table is grouped by; models if absent. */
  by?: Exclude<UsageGroup, 'day' | 'model'>;
  key?: string;
  model?: string;
  provider?: string;
  route?: string;
  /** The call whose sheet is open. */
  call?: string;
}

const DAYS = { '7d': 7, '30d': 30, '90d': 90 } as const;
const DAY_MS = 86_400_000;
const KEY_ID = /^key_/;

export const utcDay = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** Returns the date some days earlier or later. */
export const daysFrom = (day: string, days: number): string =>
  utcDay(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS);

const getStart = (day: string): string => `${day}T00:00:00.000Z`;

/** Returns the parameters of the API. @param today the current UTC day */
export function getQuery(search: UsageSearch, today: string): ModelUsageQuery {
  const { range = '30d', from, to, key, model, provider, route } = search;
  const first = range === 'custom' ? (from ?? daysFrom(today, -29)) : daysFrom(today, 1 - DAYS[range]);
  const last = range === 'custom' ? (to ?? today) : today;
  return {
    from: getStart(first),
    to: getStart(daysFrom(last, 1)),
    ...(key !== undefined && (KEY_ID.test(key) ? { api_key_id: key } : { user_id: key })),
    ...(model !== undefined && { model }),
    ...(provider !== undefined && { provider_id: provider }),
    ...(route !== undefined && { route }),
  };
}

/** As `getQuery`, for today. */
export function useUsageQuery(search: UsageSearch): ModelUsageQuery {
  const today = useFromClock(utcDay);
  return getQuery(search, today);
}
