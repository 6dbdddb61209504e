/** The URL parameters of analytics pages. The router reads them, so every page loads this file. */
import { date } from '../../patterns/search-params.ts';

export const DIMENSIONS = [
  'country',
  'city',
  'language',
  'device',
  'browser',
  'os',
  'referrer',
  'utm_source',
  'utm_medium',
  'utm_campaign',
  'utm_term',
  'utm_content',
  'destination_url',
] as const;

export type Dimension = (typeof DIMENSIONS)[number];

export const RANGES = ['24h', '7d', '30d', '90d', 'custom'] as const;
export type RangeName = (typeof RANGES)[number];

const MAX_LENGTH = 500;

/** The value to filter by; empty: unknown. The router parses numbers, which are texts here. */
const value = (raw: unknown): string | undefined => {
  if (typeof raw === 'number' || typeof raw === 'boolean') return String(raw);
  return typeof raw === 'string' && raw.length <= MAX_LENGTH ? raw : undefined;
};
const zone = (raw: unknown): string | undefined => (typeof raw === 'string' && isZone(raw) ? raw : undefined);
const range = (raw: unknown): RangeName | undefined => RANGES.find((name) => name === raw);
const compare = (raw: unknown): true | undefined => (raw === true ? true : undefined);

/** For `searchParams`. */
export const ANALYTICS_PARAMS = {
  range,
  from: date,
  to: date,
  tz: zone,
  compare,
  ...(Object.fromEntries(DIMENSIONS.map((name) => [name, value])) as Record<Dimension, typeof value>),
};

function isZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false; // RangeError: no such zone
  }
}
