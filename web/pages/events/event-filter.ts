/** The filter by type: one type, or `noun.*` for all of a noun. */
import type { EventType } from '../../api/types.ts';

interface Choices {
  group: string;
  items: string[];
}

const nounOf = (type: string): string => type.split('.')[0] ?? type;

/** Types grouped by noun, each group led by its wildcard. */
export function typeChoices(types: readonly string[]): Choices[] {
  return [...Map.groupBy(types, nounOf)].map(([noun, own]) => ({
    group: noun.replaceAll('_', ' '),
    items: own.length > 1 ? [`${noun}.*`, ...own] : own,
  }));
}

export function matchesFilter(type: string, filter: string | undefined): boolean {
  if (filter === undefined) return true;
  return filter.endsWith('.*') ? nounOf(type) === filter.slice(0, -2) : type === filter;
}

/** "Getting started" for `getting_started`. */
export const surfaceName = (surface: string): string =>
  surface.charAt(0).toUpperCase() + surface.slice(1).replaceAll('_', ' ');

/** The types that have all words of a search, in their name, meaning or scope. */
export function searchTypes(types: readonly EventType[], search: string): EventType[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return types.filter(({ id, description, scope }) => {
    const text = `${id} ${description} ${scope}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
