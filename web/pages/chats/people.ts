/** Who is who in the chat that is shown. In a direct chat everybody is known by address alone. */
import { createContext, useContext } from 'react';
import type { Message } from '../../api/types.ts';
import { isOwn } from './chat-text.ts';

export interface Person {
  address: string;
  name: string;
}

export interface People {
  /** Several write: names, marks and runs tell them apart. */
  many: boolean;
  /** The account's own address, where that is known. */
  own: string | null;
  /** Those who may be mentioned: nobody where the channel has no mentions. */
  others: readonly Person[];
  /** What somebody is called; the address where that is all that is known. */
  nameOf: (address: string) => string;
}

export const NOBODY: People = { many: false, own: null, others: [], nameOf: (address) => address };

export const PeopleContext = createContext<People>(NOBODY);
export const usePeople = (): People => useContext(PeopleContext);

/** What people write when they mean somebody: the nick behind a room's address, or what stands before the @. */
const shortOf = (address: string): string => {
  const nick = address.slice(address.lastIndexOf('/') + 1);
  return nick === address ? (address.split('@')[0] ?? address) : nick;
};

/** Who wrote it, as it is shown. */
export const authorOf = (message: Message, { nameOf }: People): string =>
  isOwn(message) ? 'You' : message.from === null ? 'Somebody' : nameOf(message.from);

/** "Alice", "Alice and Bob", "Alice, Bob and 2 others". */
export function listed(names: readonly string[], shown = 2): string {
  const [one = '', two] = names;
  if (names.length <= 1 || two === undefined) return one;
  if (names.length <= shown) return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
  const more = names.length - shown;
  return `${names.slice(0, shown).join(', ')} and ${more} ${more === 1 ? 'other' : 'others'}`;
}

/** Somebody who is mentioned, and the ways in which a text may say so. */
export interface Mention {
  address: string;
  name: string;
  isOwn: boolean;
  spellings: string[];
}

/** Of one message; more are not looked for in its text. */
const MAX_MENTIONS = 50;

const mentionOf = (address: string, name: string, own: string | null): Mention => ({
  address,
  name,
  isOwn: address === own,
  spellings: [...new Set([address, name, shortOf(address)])].filter((one) => one.trim() !== ''),
});

export const mentionsOf = ({ mentions }: Message, { own, nameOf }: People): Mention[] =>
  [...new Set(mentions)].slice(0, MAX_MENTIONS).map((address) => mentionOf(address, nameOf(address), own));

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

/** Shorter names than this mean somebody only behind an @. */
const SAYS_ENOUGH = 3;

/** The longest first: "anna-maria" is not "anna". Null where there is nothing to look for. */
function patternOf(spellings: readonly string[]): RegExp | null {
  const sorted = spellings.toSorted((one, other) => other.length - one.length);
  const any = (some: readonly string[]) => some.map(escaped).join('|');
  const plain = sorted.filter(({ length }) => length >= SAYS_ENOUGH);
  if (sorted.length === 0) return null;
  const words = plain.length > 0 ? `|(${any(plain)})` : '';
  return new RegExp(`(?<![\\p{L}\\p{N}_])(?:@(${any(sorted)})${words})(?![\\p{L}\\p{N}_])`, 'giu');
}

export interface TextPart {
  text: string;
  at: number;
  mention?: Mention;
}

/** A text taken apart where it names those who are mentioned. */
export function splitMentions(text: string, mentions: readonly Mention[]): TextPart[] {
  const bySpelling = new Map(
    mentions.flatMap((mention) => mention.spellings.map((spelling) => [spelling.toLowerCase(), mention])),
  );
  const pattern = patternOf([...bySpelling.keys()]);
  const parts: TextPart[] = [];
  let end = 0;
  for (const match of pattern ? text.matchAll(pattern) : []) {
    const mention = bySpelling.get((match[1] ?? match[2] ?? '').toLowerCase());
    if (!mention) continue;
    if (match.index > end) parts.push({ text: text.slice(end, match.index), at: end });
    parts.push({ text: match[0], at: match.index, mention });
    end = match.index + match[0].length;
  }
  if (end < text.length || parts.length === 0) parts.push({ text: text.slice(end), at: end });
  return parts;
}

/** Addresses of those whom a text that is written means by an @. */
export function meantBy(text: string, { others }: People): string[] {
  if (others.length === 0 || !text.includes('@')) return [];
  const all = others.map(({ address, name }) => mentionOf(address, name, null));
  const meant = splitMentions(text, all).flatMap(({ text: part, mention }) =>
    mention && part.startsWith('@') ? [mention.address] : [],
  );
  return [...new Set(meant)].slice(0, MAX_MENTIONS);
}

/** Those whom the text doesn't name, as where it has none. */
export function unnamed(text: string | null, mentions: readonly Mention[]): Mention[] {
  const named = new Set(splitMentions(text ?? '', mentions).map(({ mention }) => mention));
  return mentions.filter((mention) => !named.has(mention));
}
