/**
 * Addresses are Telegram's numeric IDs: positive for users, negative for groups and channels. User names are not
 * addresses, because they change hands and bots can't write to them.
 *
 * Topics are threads of a chat. In the direct messages of a channel, each person has a topic, `direct/<topic>`.
 * `<group>:<topic>` is also an address, because a topic was a chat of its own before.
 */
import { DriverError, InvalidAddressError } from '../contract/driver-error.ts';

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

/** Where a message goes within a chat, as parameters of the methods that send. */
export interface Thread {
  message_thread_id?: number;
  direct_messages_topic_id?: number;
}

const THREAD = /^(direct\/)?([1-9]\d{0,15})$/;

export const toThreadId = (topic: number, isDirect: boolean): string =>
  isDirect ? `direct/${topic}` : String(topic);

export const isThreadId = (threadId: string): boolean => THREAD.test(threadId);

/** @throws DriverError rejected */
export function readThread(threadId: string | null, { topicId }: ChatTarget): Thread {
  if (threadId === null) return topicId === null ? {} : { message_thread_id: topicId };
  const [, direct, topic] = THREAD.exec(threadId) ?? [];
  if (topic === undefined)
    throw new DriverError('rejected', 'invalid_thread', 'Telegram: this is not the ID of a topic.');
  return direct === undefined
    ? { message_thread_id: Number(topic) }
    : { direct_messages_topic_id: Number(topic) };
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

/** Returns the number of a message within this chat; null if the message belongs to another chat. */
export function getMessageNumber(externalId: string | null, chatId: number): number | null {
  const [, chat, number] = /^(-?\d{1,16})\/([1-9]\d{0,9})$/.exec(externalId ?? '') ?? [];
  return Number(chat) === chatId ? Number(number) : null;
}
