/** Sends, edits and deletes messages. */
import type { Message } from '@grammyjs/types';
import type { Connection, MessageRef, OutboundMessage, SendResult } from '../contract/connection.ts';
import type { DriverContext } from '../contract/driver.ts';
import { DriverError } from '../contract/driver-error.ts';
import type { Json } from '../contract/json.ts';
import { assertWithinLimits } from '../contract/limits.ts';
import { type ChatTarget, getMessageNumber, readAddress, readThread, toExternalId } from './address.ts';
import { type BotApi, BotApiError, type Method, type Params } from './bot-api.ts';
import { CAPABILITIES } from './capabilities.ts';
import type { FloodControl } from './flood-control.ts';
import type { Position } from './position.ts';
import { integer, object, time } from './untrusted.ts';
import { writeContent, type Written } from './write-content.ts';

export interface CallerDeps {
  context: Pick<DriverContext, 'emit'>;
  position: Position;
  flood: FloodControl;
}

/** Calls a method for a chat. */
export type CallChat = <T>(key: string, call: (target: ChatTarget) => Promise<T>) => Promise<T>;

/**
 * Creates a function that calls methods for a chat under its current ID, and once more if it turns out to have moved.
 * @throws DriverError busy while the whole bot has to wait
 */
export function createCallChat({ context, position, flood }: CallerDeps): CallChat {
  return async (key, call) => {
    flood.assertFree();
    const { chatId, topicId } = readAddress(key);
    const attempt = (): Promise<Awaited<ReturnType<typeof call>>> =>
      call({ chatId: position.toCurrent(chatId), topicId }) as never;
    try {
      return await attempt().catch(async (error: unknown) => {
        const moved = error instanceof BotApiError ? error.migratedTo : null;
        if (moved === null || !position.addMoved(chatId, moved)) throw error;
        await context.emit([], position.toJson(position.offset));
        return attempt();
      });
    } catch (error) {
      flood.note(chatId, error);
      if (error instanceof BotApiError && error.code === 'blocked')
        await context.emit([{ kind: 'reachability', address: key, isReachable: false, at: new Date() }]);
      throw error;
    }
  };
}

/** The number of a message that a call needs. @throws DriverError rejected */
function requireNumber({ externalId }: MessageRef, chatId: number): number {
  const number = getMessageNumber(externalId, chatId);
  if (number === null)
    throw new DriverError('rejected', 'message_not_found', 'Telegram does not have this message.');
  return number;
}

/** Runs a call. An error with this code means that there was nothing left to do. */
export async function unless(code: string, call: Promise<unknown>): Promise<void> {
  try {
    await call;
  } catch (error) {
    if (!(error instanceof BotApiError) || error.code !== code) throw error;
  }
}

export type MessageCalls = Required<
  Pick<Connection, 'send' | 'edit' | 'revoke' | 'react' | 'setPinned' | 'setTyping'>
>;

export function createMessageCalls(api: BotApi, callChat: CallChat): MessageCalls {
  const submit = (
    written: Written,
    target: ChatTarget,
    message: OutboundMessage,
    signal: AbortSignal,
  ): Promise<Json> => {
    const replied = getMessageNumber(message.replyTo?.externalId ?? null, target.chatId);
    const params = {
      chat_id: target.chatId,
      ...readThread(message.threadId, target),
      ...written.params,
      reply_parameters:
        replied === null ? undefined : { message_id: replied, allow_sending_without_reply: true },
    };
    return written.file
      ? api.upload(written.method, params, written.field, written.file, signal)
      : api.call<Method>(written.method, params, { signal });
  };

  const toResult = (sent: Json, { chatId }: ChatTarget): SendResult => {
    const message = object<Message>(sent);
    const number = integer(message?.message_id);
    const now = new Date();
    return {
      // 0: Telegram sends it later, when it has converted a video.
      externalId: number === null || number < 1 ? null : toExternalId(chatId, number),
      status: 'sent',
      at: time(message?.date, now),
    };
  };

  return {
    send: (message, signal) =>
      callChat(message.chat.key, async (target) => {
        assertWithinLimits(CAPABILITIES, message);
        const sent = await submit(writeContent(message), target, message, signal).catch((error: unknown) => {
          // Too large or too narrow for a photo, or no image after all.
          const isImage = error instanceof BotApiError && error.code === 'invalid_image';
          if (!isImage || !message.content.file) throw error;
          return submit(writeContent(message, true), target, message, signal);
        });
        return toResult(sent, target);
      }),
    edit: (chat, message, text, signal) =>
      callChat(chat.key, async ({ chatId }) => {
        const place = { chat_id: chatId, message_id: requireNumber(message, chatId) };
        const edited = api.call('editMessageText', { ...place, text }, { signal }).catch((error: unknown) => {
          if (!(error instanceof BotApiError) || error.code !== 'no_text') throw error;
          return api.call('editMessageCaption', { ...place, caption: text }, { signal });
        });
        await unless('not_modified', edited);
      }),
    revoke: (chat, message, signal) =>
      callChat(chat.key, async ({ chatId }) => {
        const params = { chat_id: chatId, message_id: requireNumber(message, chatId) };
        await unless('message_not_found', api.call('deleteMessage', params, { signal }));
      }),
    react: (chat, message, emoji, signal) =>
      callChat(chat.key, async ({ chatId }) => {
        const reaction = emoji === null ? [] : [{ type: 'emoji', emoji }];
        const params = { chat_id: chatId, message_id: requireNumber(message, chatId), reaction };
        await api.call('setMessageReaction', params as Params<'setMessageReaction'>, { signal });
      }),
    setPinned: (chat, message, isPinned, signal) =>
      callChat(chat.key, async ({ chatId }) => {
        const params = { chat_id: chatId, message_id: requireNumber(message, chatId) };
        if (isPinned) {
          const pinned = api.call('pinChatMessage', { ...params, disable_notification: true }, { signal });
          await unless('not_modified', pinned);
        } else await unless('not_pinned', api.call('unpinChatMessage', params, { signal }));
      }),
    // Telegram shows it for 5 seconds, or until a message arrives: there is no call that ends it.
    setTyping: async (chat, isTyping, signal) => {
      if (!isTyping) return;
      await callChat(chat.key, async (target) => {
        const params = { chat_id: target.chatId, ...readThread(null, target), action: 'typing' as const };
        await api.call('sendChatAction', params, { signal });
      });
    },
  };
}
