/** What a search of links looks through, and what it asks for: words in lower case, without accents' spelling apart. */
import type { LinkValues } from './link-values.ts';

const MAX_WORD = 100;
const MAX_WORDS = 200;

const plain = (text: string): string => text.normalize('NFKC').toLowerCase();

function decoded(url: string): string {
  try {
    return decodeURI(url);
  } catch {
    return url; // not percent-encoding: it stands for itself
  }
}

/** Letters and digits that stand together, each once. */
const wordsIn = (text: string): string[] => [
  ...new Set(
    (plain(text).match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).map((word) =>
      Array.from(word).slice(0, MAX_WORD).join(''),
    ),
  ),
];

/**
 * A word as the index of all workspaces has it: behind the last 32 bits of its workspace's id, so that what others write
 * costs a search nothing. Two workspaces may share them: a search asks for the workspace too.
 */
const inWorkspace = (workspaceId: string, word: string): string => `${workspaceId.slice(-8)}_${word}`;

/** All words of a link, as the index has them. */
export function getSearchTerms(
  workspaceId: string,
  { slug, url, title, description, external_id: externalId }: LinkValues,
): string[] {
  const all = wordsIn([slug, externalId ?? '', title ?? '', decoded(url), description ?? ''].join(' '));
  return all.slice(0, MAX_WORDS).map((word) => inWorkspace(workspaceId, word));
}

/**
 * A tsquery for what a caller looks for: all words, of which the last may be unfinished.
 * @returns null where there is no word in it
 */
export function queryOf(workspaceId: string, text: string): string | null {
  const words = wordsIn(text);
  if (!words.length) return null;
  return words
    .map((word, nth) => `'${inWorkspace(workspaceId, word)}'${nth === words.length - 1 ? ':*' : ''}`)
    .join(' & ');
}
