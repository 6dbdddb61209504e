/** Names of the dimensions of clicks and of their values. */
import { t } from '../../copy/text.ts';
import { DEVICE_NAMES, OS_NAMES } from './platforms.ts';
import type { Dimension } from './analytics-params.ts';
import { countryName, languageName } from './places.ts';

interface DimensionTexts {
  /** "Country" */
  one: string;
  /** "Countries" */
  many: string;
  /** The name of a missing value. */
  unknown: string;
  getName?: (value: string) => string;
}

const nameIn =
  (names: Partial<Record<string, string>>) =>
  (value: string): string =>
    names[value] ?? value;

const UNKNOWN = { unknown: t('Unknown') };
const NONE = { unknown: t('None') };

export const DIMENSION_TEXTS: Record<Dimension, DimensionTexts> = {
  country: { one: t('Country'), many: t('Countries'), ...UNKNOWN, getName: countryName },
  city: { one: t('City'), many: t('Cities'), ...UNKNOWN },
  language: { one: t('Language'), many: t('Languages'), ...UNKNOWN, getName: languageName },
  device: { one: t('Device'), many: t('Devices'), ...UNKNOWN, getName: nameIn(DEVICE_NAMES) },
  browser: { one: t('Browser'), many: t('Browsers'), ...UNKNOWN },
  os: { one: t('Operating system'), many: t('Operating systems'), ...UNKNOWN, getName: nameIn(OS_NAMES) },
  referrer: { one: t('Referrer'), many: t('Referrers'), unknown: t('Direct') },
  utm_source: { one: t('Source'), many: t('Sources'), ...NONE },
  utm_medium: { one: t('Medium'), many: t('Mediums'), ...NONE },
  utm_campaign: { one: t('Campaign'), many: t('Campaigns'), ...NONE },
  utm_term: { one: t('Term'), many: t('Terms'), ...NONE },
  utm_content: { one: t('Content'), many: t('Contents'), ...NONE },
  destination_url: { one: t('Destination'), many: t('Destinations'), ...UNKNOWN },
};

/** All values beyond the limit per day, summed up. The API can't filter by it. */
export const OTHERS = '(other)';

/** The browser's names throw for invalid codes. */
const nameOrValue = (getName: (value: string) => string, value: string): string => {
  try {
    return getName(value);
  } catch (error) {
    if (error instanceof RangeError) return value;
    throw error;
  }
};

/** @param value empty or null: unknown */
export function valueName(dimension: Dimension, value: string | null): string {
  const { unknown, getName } = DIMENSION_TEXTS[dimension];
  if (value === null || value === '') return unknown;
  if (value === OTHERS) return t('Other');
  return getName ? nameOrValue(getName, value) : value;
}

/** A ranking, with a tab per dimension. */
export interface Card {
  title: string;
  dimensions: Dimension[];
}

/** Of a link with targeting rules. */
export const DESTINATIONS: Card = { title: t('Destinations'), dimensions: ['destination_url'] };

export const CARDS: Card[] = [
  { title: t('Locations'), dimensions: ['country', 'city', 'language'] },
  { title: t('Technology'), dimensions: ['device', 'browser', 'os'] },
  { title: t('Referrers'), dimensions: ['referrer'] },
  {
    title: 'UTM',
    dimensions: ['utm_source', 'utm_medium', 'utm_campaign', 'utm_term', 'utm_content'],
  },
];
