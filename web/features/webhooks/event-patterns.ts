/** Event patterns as the API defines them: an exact type, `noun.*`, or `*`. */
import type { EventType } from '../../api/types.ts';
import { searchTypes, surfaceName } from '../events/event-filter.ts';

const getNoun = (type: string): string => type.split('.')[0] ?? type;

/** Returns whether a pattern matches a type. */
const covers = (pattern: string, type: string): boolean =>
  pattern === '*' || pattern === type || (pattern.endsWith('.*') && type.startsWith(pattern.slice(0, -1)));

export const coversAny = (patterns: readonly string[], type: string): boolean =>
  patterns.some((pattern) => covers(pattern, type));

/** Selects or deselects a pattern. Selecting a wider pattern removes the patterns it covers. */
export function togglePattern(patterns: readonly string[], pattern: string, on: boolean): string[] {
  const others = patterns.filter((one) => one !== pattern);
  if (!on) return others;
  return [...others.filter((one) => !covers(pattern, one)), pattern];
}

export interface NounGroup {
  noun: string;
  types: EventType[];
}

export interface SurfaceGroup {
  surface: string;
  nouns: NounGroup[];
}

/**
 * Groups event types by surface and noun, in catalog order.
 * @param search terms that each type must contain
 */
export function groupTypes(types: readonly EventType[], search = ''): SurfaceGroup[] {
  return [...Map.groupBy(searchTypes(types, search), ({ surface }) => surface)].map(([surface, own]) => ({
    surface: surfaceName(surface),
    nouns: [...Map.groupBy(own, ({ id }) => getNoun(id))].map(([noun, all]) => ({ noun, types: all })),
  }));
}
