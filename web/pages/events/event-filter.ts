/** The filter by type: one type, or `noun.*` for all of a noun. */
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
