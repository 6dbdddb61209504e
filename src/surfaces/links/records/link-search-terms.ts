/** Search terms of links, and search queries: lower-case words in NFKC. */
import type { LinkValues } from './link-values.ts';

const MAX_WORD = 100;
const MAX_WORDS = 200;

const plain = (text: string): string => text.normalize('NFKC').toLowerCase();

function decoded(url: string): string {
  try {
    return decodeURI(url);
  } catch {
    return url; // not percent-encoded: literal text
  }
}

/** Splits a text into its distinct words, runs of letters and digits. */
const splitWords = (text: string): string[] => [
  ...new Set(
    (plain(text).match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).map((word) =>
      Array.from(word).slice(0, MAX_WORD).join(''),
    ),
  ),
];

/**
 * Prefixes a word with the last 32 bits of its workspace's ID, as the index stores it, so that links of other
 * workspaces don't slow down a search. Two workspaces may share a prefix: searches also filter by workspace.
 */
const inWorkspace = (workspaceId: string, word: string): string => `${workspaceId.slice(-8)}_${word}`;

/** Returns the search terms of a link, as the index stores them. */
export function getSearchTerms(
  workspaceId: string,
  { slug, url, title, description, external_id: externalId }: LinkValues,
): string[] {
  const all = splitWords([slug, externalId ?? '', title ?? '', decoded(url), description ?? ''].join(' '));
  return all.slice(0, MAX_WORDS).map((word) => inWorkspace(workspaceId, word));
}

/**
 * Builds a tsquery from search text. All words must match; the last one may be a prefix.
 * @returns null if the text contains no word
 */
export function toSearchQuery(workspaceId: string, text: string): string | null {
  const words = splitWords(text);
  if (!words.length) return null;
  return words
    .map((word, nth) => `'${inWorkspace(workspaceId, word)}'${nth === words.length - 1 ? ':*' : ''}`)
    .join(' & ');
}
