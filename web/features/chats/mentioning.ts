/** Suggestions for mentions: finds participants by the text after an @. */
import type { Person } from './people.ts';

/** Length of the text after the @. */
const MAX_QUERY = 40;
const MAX_SUGGESTIONS = 6;

/** Returns the text between an @ and the caret, or null without an @. */
export function getMentionQuery(text: string, caret: number): string | null {
  const before = text.slice(Math.max(0, caret - MAX_QUERY), caret);
  return /(?:^|[\s(])@([^\s@]*)$/u.exec(before)?.[1] ?? null;
}

/** Returns people whose address, or a word of whose name, starts with the query. */
export function getSuggestions(query: string, others: readonly Person[]): Person[] {
  const start = query.toLowerCase();
  const fits = ({ name, address }: Person): boolean =>
    address.toLowerCase().startsWith(start) ||
    name
      .toLowerCase()
      .split(/\s+/)
      .some((word) => word.startsWith(start));
  return others.filter(fits).slice(0, MAX_SUGGESTIONS);
}

/** Replaces the query with a person's name. Returns the new text and caret. */
export function insertMention(text: string, caret: number, query: string, { name }: Person) {
  const before = `${text.slice(0, caret - query.length)}${name} `;
  return { text: before + text.slice(caret).replace(/^ /, ''), caret: before.length };
}
