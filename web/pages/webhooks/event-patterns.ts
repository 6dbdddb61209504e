/** What a webhook's patterns mean, as the API reads them: an exact type, `noun.*`, or `*`. */
import type { EventType } from '../../api/types.ts';
import { searchTypes, surfaceName } from '../events/event-filter.ts';

const nounOf = (type: string): string => type.split('.')[0] ?? type;

/** Whether a pattern delivers a type. */
const covers = (pattern: string, type: string): boolean =>
  pattern === '*' || pattern === type || (pattern.endsWith('.*') && type.startsWith(pattern.slice(0, -1)));

export const coversAny = (patterns: readonly string[], type: string): boolean =>
  patterns.some((pattern) => covers(pattern, type));

/** The patterns with one taken in or out; what a wider one covers needs no naming of its own. */
export function toggled(patterns: readonly string[], pattern: string, on: boolean): string[] {
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

/** Types by surface and noun, in the order of the catalogue. @param search words that each type must have */
export function grouped(types: readonly EventType[], search = ''): SurfaceGroup[] {
  return [...Map.groupBy(searchTypes(types, search), ({ surface }) => surface)].map(([surface, own]) => ({
    surface: surfaceName(surface),
    nouns: [...Map.groupBy(own, ({ id }) => nounOf(id))].map(([noun, all]) => ({ noun, types: all })),
  }));
}
