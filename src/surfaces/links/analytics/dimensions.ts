/**
 * Properties by which clicks can be grouped and filtered. Validation, the API reference and the console are built from
 * this table; column names come from nowhere else.
 */
import { type Dimension, DIMENSIONS } from '../clicks/scopes.ts';

interface DimensionKind {
  title: string;
  /** Description of the values for the API reference. */
  values: string;
  example: string;
}

export const DIMENSION_KINDS: Record<Dimension, DimensionKind> = {
  country: { title: 'Country', values: 'ISO 3166-1 alpha-2 codes', example: 'DE' },
  city: { title: 'City', values: 'cities with the code of their country', example: 'Berlin, DE' },
  device: { title: 'Device', values: 'kinds of device', example: 'mobile' },
  browser: { title: 'Browser', values: 'names of browsers', example: 'Safari' },
  os: { title: 'Operating system', values: 'operating systems', example: 'ios' },
  referrer: { title: 'Referrer', values: 'hosts that clicks came from', example: 'news.example' },
  language: { title: 'Language', values: 'primary languages', example: 'de' },
  utm_source: { title: 'UTM source', values: '`utm_source`', example: 'newsletter' },
  utm_medium: { title: 'UTM medium', values: '`utm_medium`', example: 'email' },
  utm_campaign: { title: 'UTM campaign', values: '`utm_campaign`', example: 'spring' },
  utm_term: { title: 'UTM term', values: '`utm_term`', example: 'shoes' },
  utm_content: { title: 'UTM content', values: '`utm_content`', example: 'header' },
  destination_url: {
    title: 'Destination URL',
    values: 'destinations of links with targeting rules',
    example: 'https://example.com/ios',
  },
};

export const GROUPS = ['time', ...DIMENSIONS, 'bot', 'link'] as const;
export type Group = (typeof GROUPS)[number];

export const isDimension = (group: Group): group is Dimension =>
  (DIMENSIONS as readonly string[]).includes(group);

/** Dimension → the value that clicks must have; '' for unknown. */
export type DimensionFilter = Partial<Record<Dimension, string>>;
