/** Filters of a list: each is one search parameter of the page's address. */
import type { QueryFunctionContext } from '@tanstack/react-query';

export interface FilterOption {
  value: string;
  label: string;
  /** A color of the theme: the option has a dot. */
  color?: string;
}

interface FilterBase {
  /** Search parameter. */
  key: string;
  /** "Status" */
  label: string;
  /** Other search parameters that a change of it clears. */
  clears?: readonly string[];
}

/** One of a few values. */
export interface ChoiceFilter extends FilterBase {
  kind: 'choice';
  options: readonly FilterOption[];
  /** The option that an address without the parameter has. */
  usual?: string;
}

/** One of many values. Options are loaded from the server as you type. */
export interface LookupFilter extends FilterBase {
  kind: 'lookup';
  /** Several, with commas between them. */
  multiple?: boolean;
  /** Gets the options that match a text. */
  options: (search: string) => Asked<readonly FilterOption[]>;
  /** Gets the label of a value; by default it is the value. */
  labelFor?: (value: string) => Asked<string>;
}

interface Asked<T> {
  queryKey: readonly unknown[];
  queryFn: (context: QueryFunctionContext) => Promise<T>;
}

/** Text as the user types it: an address, an ID. */
export interface TextFilter extends FilterBase {
  kind: 'text';
  placeholder?: string;
}

/** On or off. */
export interface FlagFilter extends FilterBase {
  kind: 'flag';
}

/** Records of the last days. */
export interface SpanFilter extends FilterBase {
  kind: 'span';
}

export type Filter = ChoiceFilter | LookupFilter | TextFilter | FlagFilter | SpanFilter;

type Search = Record<string, unknown>;

/** Whether the address sets the filter. */
export const isSet = ({ key }: Filter, search: Search): boolean =>
  search[key] !== undefined && search[key] !== false;

/** Returns the change of the address that clears parameters. */
export const without = (keys: readonly string[]): Search =>
  Object.fromEntries(keys.map((key) => [key, undefined]));

/** Returns the change of the address that clears the search and all filters. */
export const clearAll = (filters: readonly Filter[]): Search =>
  without([...filters.flatMap(({ key, clears = [] }) => [key, ...clears]), 'q']);

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** @param span value of a span filter @returns RFC 3339, of the start of the minute, so that a query keeps its key */
export function spanStart(span: string, now: number): string {
  const minute = Math.floor(now / 60_000) * 60_000;
  const ms = span.endsWith('h') ? Number(span.slice(0, -1)) * HOUR_MS : Number(span) * DAY_MS;
  return new Date(minute - ms).toISOString();
}
