/** What a search of links looks through, and what it asks for: words in lower case, without accents' spelling apart. */
import type { LinkValues } from './link-values.ts';

const LONGEST_WORD = 100;
const MOST_WORDS = 200;

const plain = (text: string): string => text.normalize('NFKC').toLowerCase();

function decoded(url: string): string {
  try {
    return decodeURI(url);
  } catch {
    return url; // not percent-encoding: it stands for itself
  }
}

/** Letters and digits that stand together, each once. */
export const wordsIn = (text: string): string[] => [
  ...new Set(
    (plain(text).match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).map((word) =>
      Array.from(word).slice(0, LONGEST_WORD).join(''),
    ),
  ),
];

/** All words of a link, and the id of its workspace: no word has a hyphen, so the two can't be confused. */
export function wordsOfLink(
  workspaceId: string,
  { slug, url, title, description, external_id: externalId }: LinkValues,
): string[] {
  const all = wordsIn([slug, externalId ?? '', title ?? '', decoded(url), description ?? ''].join(' '));
  return [workspaceId, ...all.slice(0, MOST_WORDS)];
}

/**
 * A tsquery for what a caller looks for: all words, of which the last may be unfinished.
 * @returns null where there is no word in it
 */
export function queryOf(text: string): string | null {
  const words = wordsIn(text);
  if (!words.length) return null;
  return words.map((word, nth) => `'${word}'${nth === words.length - 1 ? ':*' : ''}`).join(' & ');
}
