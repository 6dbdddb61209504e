/**
 * Iterates over messages of chats, in windows, for jobs that take turns. A position consists of the ID of a chat and,
 * within it, of a message: `<chat>` after a chat, `<chat> <message>` after a message.
 */
import type { Db } from '../../../platform/db/database.ts';
import { FIRST_UUID } from '../../../platform/db/uuid-time.ts';
import { type JobTurn, walkInTurn } from '../../../platform/jobs/turn.ts';
import * as trace from './contact-trace.store.ts';

const MESSAGES = 500;

/**
 * Iterates over the messages of chats.
 * @param nextChat returns the next chat after an ID, or the ID up to which there is none; undefined at the end
 * @param perform is called with the IDs of a window of messages; may be called again with the same
 * @returns the position at which the next turn continues; undefined at the end
 */
export function walkMessages(
  db: Db,
  workspaceId: string,
  nextChat: (after: string) => Promise<trace.NextChat | undefined>,
  perform: (messageIds: string[], instanceId: string) => Promise<void>,
  turn: JobTurn,
  position: string,
): Promise<string | undefined> {
  let chat: trace.FoundChat | undefined;
  return walkInTurn(turn, position, async (at) => {
    const [chatId = FIRST_UUID, messageId] = at.split(' ');
    if (messageId === undefined) {
      const next = await nextChat(chatId || FIRST_UUID);
      if (!next || 'passed' in next) return next?.passed;
      chat = next;
      return `${next.id} ${FIRST_UUID}`;
    }
    if (chat?.id !== chatId) chat = await trace.getChat(db, workspaceId, chatId);
    // Deleted between two turns, with its messages.
    if (!chat) return chatId;
    const ids = await trace.messagesAfter(db, workspaceId, chatId, messageId, MESSAGES);
    if (!ids.length) return chatId;
    await perform(ids, chat.instance_id);
    return `${chatId} ${ids.at(-1)!}`;
  });
}
