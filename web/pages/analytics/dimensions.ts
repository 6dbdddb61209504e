/** What is known of a visit, and how its values are said. */
import { DEVICE_NAMES, OS_NAMES } from '../links/link-text.ts';
import type { Dimension } from './analytics-params.ts';
import { countryName, languageName } from '../links/places.ts';

interface Words {
  /** "Country" */
  one: string;
  /** "Countries" */
  many: string;
  /** What a visit without a value is called. */
  unknown: string;
  nameOf?: (value: string) => string;
}

const lookedUp =
  (names: Partial<Record<string, string>>) =>
  (value: string): string =>
    names[value] ?? value;

export const WORDS: Record<Dimension, Words> = {
  country: { one: 'Country', many: 'Countries', unknown: 'Not known', nameOf: countryName },
  city: { one: 'City', many: 'Cities', unknown: 'Not known' },
  language: { one: 'Language', many: 'Languages', unknown: 'Not told', nameOf: languageName },
  device: { one: 'Device', many: 'Devices', unknown: 'Not known', nameOf: lookedUp(DEVICE_NAMES) },
  browser: { one: 'Browser', many: 'Browsers', unknown: 'Not known' },
  os: { one: 'System', many: 'Systems', unknown: 'Not known', nameOf: lookedUp(OS_NAMES) },
  referrer: { one: 'Referrer', many: 'Referrers', unknown: 'Direct, or not told' },
  utm_source: { one: 'Source', many: 'Source', unknown: 'None' },
  utm_medium: { one: 'Medium', many: 'Medium', unknown: 'None' },
  utm_campaign: { one: 'Campaign', many: 'Campaign', unknown: 'None' },
  utm_term: { one: 'Term', many: 'Term', unknown: 'None' },
  utm_content: { one: 'Content', many: 'Content', unknown: 'None' },
};

/** Values beyond those that are kept apart; nobody can ask for them. */
export const OTHERS = '(other)';

/** The browser's own names throw for what is no code. */
const said = (nameOf: (value: string) => string, value: string): string => {
  try {
    return nameOf(value);
  } catch (error) {
    if (error instanceof RangeError) return value;
    throw error;
  }
};

/** @param value empty or null: not known */
export function valueName(dimension: Dimension, value: string | null): string {
  const { unknown, nameOf } = WORDS[dimension];
  if (value === null || value === '') return unknown;
  if (value === OTHERS) return 'Others';
  return nameOf ? said(nameOf, value) : value;
}

/** The cards of rankings, each with its tabs. */
export const CARDS: { title: string; dimensions: Dimension[] }[] = [
  { title: 'Places', dimensions: ['country', 'city', 'language'] },
  { title: 'Technology', dimensions: ['device', 'browser', 'os'] },
  { title: 'Referrers', dimensions: ['referrer'] },
  {
    title: 'UTM',
    dimensions: ['utm_source', 'utm_medium', 'utm_campaign', 'utm_term', 'utm_content'],
  },
];
