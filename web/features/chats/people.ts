/** The people in the open chat. In direct chats they are known only by address. */
import { createContext, useContext } from 'react';
import { language, plural, t } from '../../copy/text.ts';
import type { Message } from '../../api/types.ts';
import { isOwn } from '../messages/message-text.ts';

export interface Person {
  address: string;
  name: string;
}

export interface People {
  /** Whether the chat has several senders, so that messages show who wrote them. */
  many: boolean;
  /** The instance's own address, if known. */
  own: string | null;
  /** People who can be mentioned. Empty if the channel has no mentions. */
  others: readonly Person[];
  /** Returns the name of a person, or the address if there is no name. */
  getName: (address: string) => string;
}

export const NOBODY: People = { many: false, own: null, others: [], getName: (address) => address };

export const PeopleContext = createContext<People>(NOBODY);
export const usePeople = (): People => useContext(PeopleContext);

/** Returns the short form of an address: the nickname in a room, or the part before the @. */
const getShort = (address: string): string => {
  const nick = address.slice(address.lastIndexOf('/') + 1);
  return nick === address ? (address.split('@')[0] ?? address) : nick;
};

/** Returns the name of the sender. */
export const getAuthor = (message: Message, { getName }: People): string =>
  isOwn(message) ? t('You') : message.from === null ? t('Unknown') : getName(message.from);

const conjunction = new Intl.ListFormat(language, { type: 'conjunction' });

/** "Alice", "Alice and Bob", "Alice, Bob, and 2 others". */
export function listNames(names: readonly string[], max = 2): string {
  const more = names.length - max;
  if (more <= 0) return conjunction.format(names);
  const others = plural(more, { one: '{count} other', other: '{count} others' });
  return conjunction.format([...names.slice(0, max), others]);
}

/** A mentioned person and the spellings that count as a mention. */
export interface Mention {
  address: string;
  name: string;
  isOwn: boolean;
  spellings: string[];
}

/** Per message. Further mentions are ignored. */
const MAX_MENTIONS = 50;

const getMention = (address: string, name: string, own: string | null): Mention => ({
  address,
  name,
  isOwn: address === own,
  spellings: [...new Set([address, name, getShort(address)])].filter((one) => one.trim() !== ''),
});

export const getMentions = ({ mentions }: Message, { own, getName }: People): Mention[] =>
  [...new Set(mentions)].slice(0, MAX_MENTIONS).map((address) => getMention(address, getName(address), own));

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

/** Names shorter than this need an @ to count as a mention. */
const MIN_PLAIN_NAME = 3;

/** Matches the longest spelling first: "anna-maria" is not "anna". Null without spellings. */
function getPattern(spellings: readonly string[]): RegExp | null {
  const sorted = spellings.toSorted((one, other) => other.length - one.length);
  const any = (some: readonly string[]) => some.map(escaped).join('|');
  const plain = sorted.filter(({ length }) => length >= MIN_PLAIN_NAME);
  if (sorted.length === 0) return null;
  const words = plain.length > 0 ? `|(${any(plain)})` : '';
  return new RegExp(`(?<![\\p{L}\\p{N}_])(?:@(${any(sorted)})${words})(?![\\p{L}\\p{N}_])`, 'giu');
}

export interface TextPart {
  text: string;
  at: number;
  mention?: Mention;
}

/** Splits a text at the people it mentions. */
export function splitMentions(text: string, mentions: readonly Mention[]): TextPart[] {
  const bySpelling = new Map(
    mentions.flatMap((mention) => mention.spellings.map((spelling) => [spelling.toLowerCase(), mention])),
  );
  const pattern = getPattern([...bySpelling.keys()]);
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

/** Returns the addresses that a text mentions with an @. */
export function findMentioned(text: string, { others }: People): string[] {
  if (others.length === 0 || !text.includes('@')) return [];
  const all = others.map(({ address, name }) => getMention(address, name, null));
  const found = splitMentions(text, all).flatMap(({ text: part, mention }) =>
    mention && part.startsWith('@') ? [mention.address] : [],
  );
  return [...new Set(found)].slice(0, MAX_MENTIONS);
}

/** Returns the mentions that the text doesn't name. */
export function findUnnamed(text: string | null, mentions: readonly Mention[]): Mention[] {
  const named = new Set(splitMentions(text ?? '', mentions).map(({ mention }) => mention));
  return mentions.filter((mention) => !named.has(mention));
}
