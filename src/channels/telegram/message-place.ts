/** Reads the context of a message: its topic, the message that it replies to, and its sender. */
import type { DirectMessagesTopic, Message } from '@grammyjs/types';
import { toExternalId, toThreadId } from './address.ts';
import { readChat, type ReadChat, readUser } from './people.ts';
import type { Position } from './position.ts';
import { integer, object } from './untrusted.ts';
import type { GivenMessage } from './update.ts';

/**
 * Returns the topic that a message is in, of a forum, a private chat or the direct messages of a channel. Elsewhere,
 * the thread of a message only identifies the message it replies to.
 */
export function readThreadId(message: GivenMessage): string | null {
  const direct = integer(object<DirectMessagesTopic>(message.direct_messages_topic)?.topic_id);
  const id = direct ?? (message.is_topic_message === true ? integer(message.message_thread_id) : null);
  return id === null || id < 1 ? null : toThreadId(id, direct !== null);
}

/** Returns the message that one replies to; null for none. */
export function readReplyTo(message: GivenMessage, chat: ReadChat): { externalId: string } | null {
  const replied = object<Message>(message.reply_to_message);
  const id = integer(replied?.message_id);
  // Each message of a topic seems to reply to the one that created it.
  if (!replied || id === null || id < 1 || replied.forum_topic_created !== undefined) return null;
  return { externalId: toExternalId(chat.id, id) };
}

/** Returns the author of a message: a user, or the chat in whose name it was written. */
export function readSender(message: GivenMessage, chat: ReadChat, position: Position) {
  // With a chat, the user is a stand-in that is marked as a bot.
  const inName = readChat(message.sender_chat, position);
  const user = inName ? null : readUser(message.from);
  if (user) return user;
  const { id, address, title, username } = inName ?? chat;
  return { id, address, name: title, username, isBot: false };
}
