/**
 * Roll-up targets: a link, a domain or a workspace. `click_rollups.scope_id` is the ID of one of these. The default
 * domain has no row and uses the ID below. The IDs are distinct UUIDv7, so they never collide.
 */

/** `scope_id` of the default domain (the host of BASE_URL). Like all scopes it is combined with the workspace's ID. */
export const DEFAULT_DOMAIN_SCOPE = '00000000-0000-7000-8000-000000000001';

/**
 * Dimensions by which clicks are counted; '' stands for an unknown value. `click_rollups.dimensions` stores them in
 * this order, so new dimensions may only be appended.
 */
export const DIMENSIONS = [
  'country',
  'city',
  'device',
  'browser',
  'os',
  'referrer',
  'language',
  'utm_source',
  'utm_medium',
  'utm_campaign',
  'utm_term',
  'utm_content',
  'destination_url',
] as const;
export type Dimension = (typeof DIMENSIONS)[number];

/**
 * Clicks by people per value of one dimension. If all have the same value, only the value is stored, and null stands
 * for ''. A row stores a list in the order of DIMENSIONS, without trailing nulls.
 */
export type ValueCounts = Record<string, number> | string | null;

/** Maximum number of values per dimension and row; clicks with further values are counted under OTHER. */
export const MAX_VALUES = 1_000;
export const OTHER = '(other)';

/**
 * Longer values are truncated, also in single clicks, because visitors control `utm_*` and `referrer`. Destination URLs
 * may be longer (MAX_DESTINATION).
 */
export const MAX_CHARACTERS = 100;

/** Formats a city for the dimension `city`, with its country, because many cities share a name. */
export const cityValue = (city: string | null, country: string | null): string =>
  city === null || city === '' ? '' : country ? `${city}, ${country}` : city;

/** Fields per quarter hour in `quarters`, which lists the quarter hours with clicks in chronological order. */
export const QUARTER_FIELDS = ['quarter', 'people', 'bots', 'uniques'] as const;
