/** Reads chats, users and members. */
import type { Chat, ChatMember, User } from '@grammyjs/types';
import type { GroupRole } from '../contract/connection.ts';
import type { InboundChat } from '../contract/signal.ts';
import type { Position } from './position.ts';
import { integer, object, text, type Untrusted } from './untrusted.ts';

const MAX_NAME = 255;

export interface Person {
  /** Normalized. */
  address: string;
  name: string | null;
  /** A name that may change hands; null for none. */
  username: string | null;
  isBot: boolean;
}

export const isId = (id: number | null): id is number => id !== null && id !== 0 && Math.abs(id) < 2 ** 52;

/** Reads a user; null if it has no usable ID. */
export function readUser(value: unknown): (Person & { id: number }) | null {
  const user = object<User>(value);
  const id = integer(user?.id);
  if (!user || !isId(id)) return null;
  const name = [text(user.first_name, MAX_NAME), text(user.last_name, MAX_NAME)].filter(Boolean).join(' ');
  return {
    id,
    address: String(id),
    name: name || null,
    username: text(user.username, MAX_NAME),
    isBot: user.is_bot === true,
  };
}

export interface ReadChat {
  /** As Telegram has it. */
  id: number;
  isGroup: boolean;
  title: string | null;
  /** A name that may change hands; null for none. */
  username: string | null;
  /** The stored address of the chat, without a topic. */
  address: string;
}

/** Reads a chat; null if it has no usable ID or type. */
export function readChat(value: unknown, position: Pick<Position, 'toKnown'>): ReadChat | null {
  const chat: Untrusted<Chat> | null = object<Chat>(value);
  const id = integer(chat?.id);
  if (!chat || !isId(id)) return null;
  const isGroup = chat.type === 'group' || chat.type === 'supergroup' || chat.type === 'channel';
  if (isGroup ? id > 0 : chat.type !== 'private' || id < 0) return null;
  const { title } = chat as { title?: unknown };
  const name = isGroup ? text(title, MAX_NAME) : (readUser(value)?.name ?? null);
  const username = text((chat as { username?: unknown }).username, MAX_NAME);
  return { id, isGroup, title: name, username, address: String(position.toKnown(id)) };
}

export const toInboundChat = ({ isGroup, title, address }: ReadChat): InboundChat => ({
  kind: isGroup ? 'group' : 'direct',
  key: address,
  address,
  title,
});

export type Membership = {
  person: Person & { id: number };
  role: GroupRole | null;
  gone: 'left' | 'banned' | undefined;
};

/** Reads a person's membership in a chat; null if it can't be read. */
export function readMember(value: unknown): Membership | null {
  const member = object<ChatMember>(value);
  const person = readUser(member?.user);
  if (!member || !person) return null;
  switch (member.status) {
    case 'creator':
      return { person, role: 'owner', gone: undefined };
    case 'administrator':
      return { person, role: 'admin', gone: undefined };
    case 'member':
      return { person, role: 'member', gone: undefined };
    case 'restricted': {
      const isMember = (member as { is_member?: unknown }).is_member === true;
      return { person, role: isMember ? 'member' : null, gone: isMember ? undefined : 'left' };
    }
    case 'left':
      return { person, role: null, gone: 'left' };
    case 'kicked':
      return { person, role: null, gone: 'banned' };
    default:
      return null;
  }
}
