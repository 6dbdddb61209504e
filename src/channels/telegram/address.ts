/**
 * Addresses are Telegram's numeric IDs: positive for users, negative for groups and channels. A forum topic is a chat of
 * its own: `<group>:<topic>`. User names are not addresses, because they change hands and bots can't write to them.
 */
import { InvalidAddressError } from '../contract/driver-error.ts';

export interface ChatTarget {
  chatId: number;
  /** Forum topic; null for the chat itself. */
  topicId: number | null;
}

/** Telegram's IDs have at most 52 significant bits. */
const MAX_ID = 2 ** 52;
const ADDRESS = /^(?:tg:\/\/user\?id=)?(-?[1-9]\d{0,15})(?:[:/]([1-9]\d{0,9}))?$/;

function parse(address: string): ChatTarget | null {
  const [, chat, topic] = ADDRESS.exec(address.trim()) ?? [];
  if (chat === undefined) return null;
  const chatId = Number(chat);
  if (Math.abs(chatId) >= MAX_ID || (topic !== undefined && chatId > 0)) return null;
  return { chatId, topicId: topic === undefined ? null : Number(topic) };
}

export const toAddress = ({ chatId, topicId }: ChatTarget): string =>
  topicId === null ? String(chatId) : `${chatId}:${topicId}`;

/** @throws InvalidAddressError */
export function readAddress(address: string): ChatTarget {
  const target = parse(address);
  if (!target)
    throw new InvalidAddressError('must be the numeric ID of a chat, such as 123456789 or -1001234567890');
  return target;
}

/** Returns the external ID of a message, whose own number is unique only within its chat. */
export const toExternalId = (chatId: number, messageId: number): string => `${chatId}/${messageId}`;

/** Returns the number of a message within this chat; null if it is none of the chat's. */
export function getMessageNumber(externalId: string | null, chatId: number): number | null {
  const [, chat, number] = /^(-?\d{1,16})\/([1-9]\d{0,9})$/.exec(externalId ?? '') ?? [];
  return Number(chat) === chatId ? Number(number) : null;
}
