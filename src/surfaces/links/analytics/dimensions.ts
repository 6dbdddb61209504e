/**
 * What clicks can be grouped and filtered by: one table from which validation, the API's document and the console are
 * made. No name of a column comes from anywhere else.
 */
import { type Dimension, DIMENSIONS } from '../clicks/scopes.ts';

interface DimensionKind {
  title: string;
  /** What its values are, for the document. */
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
};

export const GROUPS = ['time', ...DIMENSIONS, 'bot', 'link'] as const;
export type Group = (typeof GROUPS)[number];

export const isDimension = (group: Group): group is Dimension =>
  (DIMENSIONS as readonly string[]).includes(group);

/** Dimension → the one value that clicks must have; '' for those of which it is not known. */
export type DimensionFilter = Partial<Record<Dimension, string>>;
