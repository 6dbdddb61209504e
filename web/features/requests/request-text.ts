/** Texts of API requests, and their filters as parameters of the API. */
import type { CallExample } from '../../api/curl.ts';
import type { RequestFilter, RequestUsageFilter } from '../../api/requests.ts';
import type { ApiRequest } from '../../api/types.ts';
import { t } from '../../copy/text.ts';
import type { Tone } from '../../design/tone.ts';

const HOUR_MS = 3_600_000;

export const SPANS = [
  { value: '1h', label: t('Last hour'), hours: 1 },
  { value: '24h', label: t('Last 24 hours'), hours: 24 },
  { value: '7d', label: t('Last 7 days'), hours: 168 },
] as const;

type Span = (typeof SPANS)[number]['value'];

/** Requests are kept for so long. */
const ALL: Span = '7d';

/** Whose requests are shown: those of API keys by default. */
export type Sender = 'api_key' | 'user' | 'all';

export interface RequestSearch {
  status?: '2xx' | '3xx' | '4xx' | '5xx';
  errors?: true;
  method?: ApiMethod;
  actor?: Exclude<Sender, 'api_key'> | undefined;
  operation?: string;
  /** ID of an API key. */
  key?: string;
  /** ID of a user. */
  person?: string;
  /** Error code. */
  error?: string;
  /** IP address. */
  address?: string;
  since?: Span;
}

export type ApiMethod = NonNullable<RequestFilter['method']>;

export const METHODS: readonly ApiMethod[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

export const getSender = ({ actor, person }: RequestSearch): Sender => actor ?? (person ? 'user' : 'api_key');

/** Limits list and chart to a sender. */
function senderFilter(search: RequestSearch) {
  const sender = getSender(search);
  if (sender === 'all') return {};
  const { key, person } = search;
  if (sender === 'api_key' && key) return { api_key_id: key };
  if (sender === 'user' && person) return { user_id: person };
  return { actor_type: sender };
}

const getHours = (since: Span = ALL): number => SPANS.find(({ value }) => value === since)!.hours;

/** Returns the filters of the list. @param now time at which the list was opened, so that it doesn't restart */
export const listFilter = (search: RequestSearch, now: number): RequestFilter => ({
  status: search.status,
  errors: search.errors,
  method: search.method,
  operation: search.operation,
  ...senderFilter(search),
  error_code: search.error,
  address: search.address,
  created_after: search.since && new Date(now - getHours(search.since) * HOUR_MS).toISOString(),
});

/** Returns the range of the chart: hours up to the current one, at least a day. */
export function usageFilter(search: RequestSearch, now: number): RequestUsageFilter {
  const hours = Math.max(24, getHours(search.since));
  return {
    from: new Date(Math.floor(now / HOUR_MS) * HOUR_MS - (hours - 1) * HOUR_MS).toISOString(),
    interval: 'hour',
    operation: search.operation,
    ...senderFilter(search),
  };
}

/** Whether the list has a filter that the API's counts don't support. */
export const isChartWider = ({ status, method, error, address }: RequestSearch): boolean =>
  [status, method, error, address].some(Boolean);

export function statusTone(status: number): Tone {
  if (status >= 500) return 'bad';
  if (status >= 400) return 'warn';
  return status >= 200 && status < 300 ? 'good' : 'idle';
}

/** Returns the page of the reference that explains an error code. */
export const errorPage = (code: string): string => `/docs/errors#${code}`;

/** Routes are below it. */
export const API = '/api/v1';

/** Returns the pattern of the path. */
export const getPath = ({ route }: ApiRequest): string => API + route;

/** Returns the call as far as the log has it. */
export const requestCall = ({ method, route }: ApiRequest): CallExample => ({
  method: METHODS.find((one) => one === method) ?? 'GET',
  path: route,
});
