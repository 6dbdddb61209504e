/** The type filter: one type, or `noun.*` for all types of a noun. */
import type { EventType } from '../../api/types.ts';
import { t } from '../../copy/text.ts';

const getNoun = (type: string): string => type.split('.')[0] ?? type;

/** Returns the types with the wildcard of each noun that has several before them. */
export const withPatterns = (types: readonly string[]): string[] =>
  [...Map.groupBy(types, getNoun)].flatMap(([noun, own]) => (own.length > 1 ? [`${noun}.*`, ...own] : own));

export function matchesFilter(type: string, filter: string | undefined): boolean {
  if (filter === undefined) return true;
  return filter.endsWith('.*') ? getNoun(type) === filter.slice(0, -2) : type === filter;
}

/** Returns the display name of a surface: "Short links" for `short_links`. */
export const surfaceName = (surface: string): string =>
  // Its events are about members, API keys and webhooks, which belong to the workspace as a whole, like the scopes of
  // API keys.
  surface === 'getting_started'
    ? t('Workspace')
    : surface.charAt(0).toUpperCase() + surface.slice(1).replaceAll('_', ' ');

/**
 * Returns the types whose name, description, or scope contains every search term, those with the term in their name
 * first. A term can be a pattern such as `message.*`.
 */
export function searchTypes(types: readonly EventType[], search: string): EventType[] {
  const terms = search
    .toLowerCase()
    .split(/\s+/)
    .map((term) => term.replace(/\*$/, ''))
    .filter(Boolean);
  const found = types.filter(({ id, description, scope }) => {
    const text = `${id} ${description} ${scope}`.toLowerCase();
    return terms.every((term) => text.includes(term));
  });
  const isNamed = ({ id }: EventType): boolean => terms.every((term) => id.includes(term));
  return [...found.filter(isNamed), ...found.filter((type) => !isNamed(type))];
}
