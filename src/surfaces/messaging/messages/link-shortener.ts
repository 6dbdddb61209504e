/**
 * Short links for the URLs of a message (`shorten_links`): the interface that messaging requires, and functions that
 * find and replace URLs in text. Links are created in the transaction of the message, so a rejected message leaves
 * none.
 */
import type { Unit } from '../../../core/unit/unit-of-work.ts';

export interface ShortenRequest {
  /** IDs as the database has them. */
  messageId: string;
  /** Null in a group. */
  contactId: string | null;
  /** Public ID of who sends. */
  actorId: string;
  /** As written in the text, without duplicates. */
  urls: readonly string[];
  /** W3C traceparent of the message; by default of the current span. */
  traceparent?: string | null | undefined;
}

export interface LinkShortener {
  /** @returns URL → length of its future short URL; URLs that are left out are not shortened */
  measure(unit: Unit, workspaceId: string, urls: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /**
   * @returns for each message, URL → short URL; URLs that are left out are not shortened
   * @throws Problem if links can't be created
   */
  shorten(
    unit: Unit,
    workspaceId: string,
    messages: readonly ShortenRequest[],
  ): Promise<ReadonlyMap<string, string>[]>;
}

/** Maximum links shortened per message; further ones stay unchanged. */
export const MAX_LINKS = 50;

const CANDIDATE = /(?<![\p{L}\p{N}])https?:\/\/[^\s<>"`{}|\\^\p{Cc}]+/giu;
/** Punctuation that ends a sentence, not a URL. */
const TRAILING = /[.,;:!?'*_~…。、，．！？；：“”‘’«»„]$/u;
const PAIRS: Record<string, string> = { ')': '(', ']': '[', '）': '（', '】': '【', '」': '「' };

/** Longer URLs are not shortened. */
const LONGEST = 4_096;

/** Without the punctuation of the sentence around it; a bracket stays where it was opened within. */
function trim(candidate: string): string {
  const counts = new Map<string, number>();
  for (const character of candidate) counts.set(character, (counts.get(character) ?? 0) + 1);
  const count = (character: string): number => counts.get(character) ?? 0;
  let end = candidate.length;
  for (; end > 0; end--) {
    const last = candidate[end - 1]!;
    const opening = PAIRS[last];
    const isLoose = opening !== undefined && count(last) > count(opening);
    if (!isLoose && !TRAILING.test(last)) break;
    counts.set(last, count(last) - 1);
  }
  return candidate.slice(0, end);
}

/** Finds http and https URLs in a text, in order and unchanged. */
export function findUrls(text: string): { url: string; at: number }[] {
  return [...text.matchAll(CANDIDATE)].flatMap((match) => {
    const url = trim(match[0]);
    const parsed = url.length > LONGEST ? null : URL.parse(url);
    return parsed !== null && parsed.hostname !== '' ? [{ url, at: match.index }] : [];
  });
}

/** @param short URL → its replacement */
export function replaceUrls(text: string, short: ReadonlyMap<string, string>): string {
  let done = 0;
  const parts: string[] = [];
  for (const { url, at } of findUrls(text)) {
    const replacement = short.get(url);
    if (replacement === undefined) continue;
    parts.push(text.slice(done, at), replacement);
    done = at + url.length;
  }
  return [...parts, text.slice(done)].join('');
}

/** Path of a message's text in its content. */
const TEXTS = ['body', 'caption'] as const;

type Texts = (readonly [name: string, text: string])[];

const toTexts = (content: object): Texts =>
  TEXTS.flatMap((name) => {
    const text = (content as Record<string, unknown>)[name];
    return typeof text === 'string' ? [[name, text] as const] : [];
  });

/** The URLs of a message's content that become short ones, each once. */
export const getUrls = (content: object): string[] =>
  [...new Set(toTexts(content).flatMap(([, text]) => findUrls(text).map(({ url }) => url)))].slice(
    0,
    MAX_LINKS,
  );

/**
 * Replaces the `urls` in the contents with short URLs, created separately for each message.
 * @returns the contents in the same order; the same object if it has no URLs
 * @throws Problem
 */
export async function shortenContents<Content extends object>(
  unit: Unit,
  shortener: LinkShortener,
  workspaceId: string,
  messages: readonly (ShortenRequest & { content: Content })[],
): Promise<Content[]> {
  const asked = messages.filter(({ urls }) => urls.length);
  if (!asked.length) return messages.map(({ content }) => content);
  const answers = await shortener.shorten(
    unit,
    workspaceId,
    asked.map(({ content: _content, ...request }) => request),
  );
  const short = new Map(asked.map((message, nth) => [message, answers[nth]!]));
  return messages.map((message) => {
    const { content } = message;
    const own = short.get(message);
    if (!own) return content;
    const texts = toTexts(content).map(([name, text]) => [name, replaceUrls(text, own)]);
    return { ...content, ...Object.fromEntries(texts) };
  });
}
