/**
 * Event types that exist on the stream alone. They describe a state of interest for seconds: they are never stored, have
 * no sequence, and go to no webhook. Names are unique over both catalogs.
 */
import type { Scope } from './scopes.ts';
import { type CatalogEntry, getEntries, type TypeOf } from './event-catalog.ts';

export type LiveType = TypeOf<'liveEvents'>;

export const LIVE_CATALOG: Readonly<Record<LiveType, CatalogEntry>> = getEntries('liveEvents');

/** All types, in the order of the catalog. */
export const LIVE_TYPES = Object.keys(LIVE_CATALOG) as LiveType[];

export const isLiveType = (value: string): value is LiveType => Object.hasOwn(LIVE_CATALOG, value);

/** The types that holders of `scopes` may see. */
export const liveTypesVisibleTo = (scopes: ReadonlySet<Scope>): LiveType[] =>
  LIVE_TYPES.filter((type) => scopes.has(LIVE_CATALOG[type].scope));

/** The types that a pattern means: an exact type, `noun.*`, or `*`; none where it means none. */
export function liveTypesMatching(pattern: string): LiveType[] {
  if (pattern === '*') return LIVE_TYPES;
  if (isLiveType(pattern)) return [pattern];
  if (!pattern.endsWith('.*')) return [];
  return LIVE_TYPES.filter((type) => type.startsWith(pattern.slice(0, -1)));
}
