/**
 * What clicks are summed up for: a link, a domain, a workspace. `click_rollups.scope_id` is the id of one of these;
 * the default domain, which has no row, has the id below. Ids are UUIDv7 of their own times, so that none is another's.
 */

/** `scope_id` of the domain that follows BASE_URL; with the workspace's id beside it, as of any scope. */
export const DEFAULT_DOMAIN_SCOPE = '00000000-0000-7000-8000-000000000001';

/**
 * What a click is counted by; '' stands for what is not known. `click_rollups.dimensions` has them in this order, so
 * that further ones may only be added at the end.
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
] as const;
export type Dimension = (typeof DIMENSIONS)[number];

/**
 * Counts of people by the values of one dimension: the value itself where all have the same, null where that is ''.
 * A row has a list of them in the order of DIMENSIONS, without nulls at its end.
 */
export type ValueCounts = Record<string, number> | string | null;

/** Values of a dimension that one row holds; clicks of further ones are counted under OTHER. */
export const MAX_VALUES = 1_000;
export const OTHER = '(other)';

/** Longer values are cut, in single clicks too: whoever visits a link chooses what stands in `utm_*` and `referrer`. */
export const MAX_CHARACTERS = 100;

/** How a city stands in the dimension `city`, since many countries have one of its name. */
export const cityValue = (city: string | null, country: string | null): string =>
  city === null || city === '' ? '' : country ? `${city}, ${country}` : city;

/** `quarters` of a row has these of each quarter of an hour with a click, in the order of time. */
export const QUARTER_FIELDS = ['quarter', 'people', 'bots', 'uniques'] as const;
