/** Mentioning somebody of a group while one writes: who is meant by what follows an @. */
import type { Person } from './people.ts';

/** Characters that are looked for. */
const MAX_ASKED = 40;
const SHOWN = 6;

/** What follows the @ that is being written at the caret; null where none is. */
export function askedAt(text: string, caret: number): string | null {
  const before = text.slice(Math.max(0, caret - MAX_ASKED), caret);
  return /(?:^|[\s(])@([^\s@]*)$/u.exec(before)?.[1] ?? null;
}

/** Those whose name or address begins so, or a word of whose name does. */
export function suggested(asked: string, others: readonly Person[]): Person[] {
  const begin = asked.toLowerCase();
  const fits = ({ name, address }: Person): boolean =>
    address.toLowerCase().startsWith(begin) ||
    name
      .toLowerCase()
      .split(/\s+/)
      .some((word) => word.startsWith(begin));
  return others.filter(fits).slice(0, SHOWN);
}

/** The text with somebody's name in the place of what was asked, and where the caret then stands. */
export function withMention(text: string, caret: number, asked: string, { name }: Person) {
  const before = `${text.slice(0, caret - asked.length)}${name} `;
  return { text: before + text.slice(caret).replace(/^ /, ''), caret: before.length };
}
