/** Reads the origin of a forwarded message, and its quote. */
import type { Chat, MessageOrigin, TextQuote, User } from '@grammyjs/types';
import type { ChannelData } from '../contract/channel-data.ts';
import { readUser } from './people.ts';
import { object, text, type Untrusted } from './untrusted.ts';

/** All kinds of origins; each has some of the members. */
type Origin = Untrusted<{
  type: MessageOrigin['type'];
  sender_user: User;
  sender_user_name: string;
  sender_chat: Chat;
  chat: Chat;
}>;

const MAX_NAME = 255;
const MAX_QUOTE = 4096;

/** Reads the origin of a forwarded message. For users who hide their account, Telegram provides only the name. */
export function readForwarded(value: unknown): Pick<ChannelData, 'forwarded'> {
  const origin: Origin | null = object(value);
  if (!origin) return {};
  const chat = object<{ title: string }>(origin.sender_chat ?? origin.chat);
  const author =
    readUser(origin.sender_user)?.name ?? text(origin.sender_user_name ?? chat?.title, MAX_NAME) ?? null;
  return { forwarded: { frequently: false, author } };
}

/** The part of the message that is replied to which the writer chose. */
export function readQuote(value: unknown): Pick<ChannelData, 'quote'> {
  const quote = text(object<TextQuote>(value)?.text, MAX_QUOTE);
  return quote === null ? {} : { quote };
}
