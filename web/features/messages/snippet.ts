/** The part of a text that a search found. */

/** Characters before the first match. */
const BEFORE = 24;

/** Removes differences that the search ignores: case and accents. Keeps the length, so that positions stay the same. */
const folded = (text: string): string =>
  Array.from(text, (sign) => {
    const plain = sign.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
    return plain.length === sign.length ? plain : sign;
  }).join('');

const getWords = (query: string): string[] => folded(query).split(/\s+/).filter(Boolean);

/** Returns where the first word of the query occurs in the text, or -1. */
function matchIn(text: string, query: string): number {
  const plain = folded(text);
  const found = getWords(query)
    .map((word) => plain.indexOf(word))
    .filter((at) => at >= 0);
  return found.length === 0 ? -1 : Math.min(...found);
}

/** Returns one line of the text that begins shortly before the first match. */
export function getSnippet(text: string, query: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  const at = matchIn(line, query);
  if (at <= BEFORE) return line;
  const start = line.indexOf(' ', at - BEFORE) + 1;
  return `…${line.slice(start > 0 && start <= at ? start : at)}`;
}

/** Splits a text into parts, those that the query matches marked. */
export function markedParts(text: string, query: string): { text: string; isMatch: boolean }[] {
  const plain = folded(text);
  const words = getWords(query);
  const parts: { text: string; isMatch: boolean }[] = [];
  let from = 0;
  while (from < text.length) {
    const next = words
      .map((word) => ({ at: plain.indexOf(word, from), length: word.length }))
      .filter(({ at }) => at >= 0)
      .toSorted((one, other) => one.at - other.at || other.length - one.length)[0];
    if (!next) break;
    if (next.at > from) parts.push({ text: text.slice(from, next.at), isMatch: false });
    parts.push({ text: text.slice(next.at, next.at + next.length), isMatch: true });
    from = next.at + next.length;
  }
  if (from < text.length) parts.push({ text: text.slice(from), isMatch: false });
  return parts;
}
