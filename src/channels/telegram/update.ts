/** The updates requested from Telegram, and the context and result of their readers. */
import type { Message, Update } from '@grammyjs/types';
import type { ReceivedFile } from '../contract/connection.ts';
import type { Signal, Unprocessed } from '../contract/signal.ts';
import type { FileRef } from './content.ts';
import type { Position } from './position.ts';
import type { Untrusted } from './untrusted.ts';

/** Update types that are requested from Telegram. */
export const ALLOWED_UPDATES = [
  'message',
  'edited_message',
  'channel_post',
  'edited_channel_post',
  'message_reaction',
  'callback_query',
  'my_chat_member',
  'chat_member',
] as const satisfies Exclude<keyof Update, 'update_id'>[];

export interface InboundDeps {
  bot: { id: number; username: string | null };
  position: Position;
  /** Whether a group is to be reported: it is new to this connection, or its title changed. */
  isNews(key: string, title: string | null): boolean;
  /** Stores a file; null if Telegram does not give it out. @throws DriverError if it may later */
  receive(file: FileRef, signal: AbortSignal): Promise<ReceivedFile | null>;
  /** Finds the emoji of a custom emoji; null if Telegram names none. */
  findEmoji(customEmojiId: string, signal: AbortSignal): Promise<string | null>;
  /** Called for each pressed button, whose progress bar ends with the response. */
  onCallback(id: string): void;
  now(): Date;
}

export type GivenMessage = Untrusted<Message>;
/** The signals of an update, or why it gives none. */
export type Outcome = Signal[] | Unprocessed['reason'];
