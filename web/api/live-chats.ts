/** Keeps chats and the messages of the open chat current using the event stream, and tracks who is typing. */
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { putChat, putMessage } from './chat-cache.ts';
import { chatListsKey, chatQuery } from './chats.ts';
import { putGroup } from './groups.ts';
import { useLiveEvents } from './live-events.ts';
import type { Chat, Group, Message } from './types.ts';

/** Messages that come together are one change of their chat. */
const TOGETHER_MS = 150;
/** If more chats than this changed, the list is read instead of each chat. */
const MAX_SINGLE = 12;

/**
 * Reads chats whose messages changed, because message events don't include the title, the last message and the unread
 * count.
 */
function createRefresher(client: QueryClient, workspaceId: string) {
  const waiting = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let running = false;
  const refresh = async () => {
    const ids = [...waiting];
    waiting.clear();
    if (ids.length > MAX_SINGLE) {
      await client.invalidateQueries({ queryKey: chatListsKey(workspaceId) });
      return;
    }
    const read = (id: string) =>
      client
        .fetchQuery({ ...chatQuery(workspaceId, id), staleTime: 0 })
        .then((chat) => putChat(client, workspaceId, chat));
    // A chat that can't be read (it was deleted, or no response arrived) is left unchanged. Reopening the stream reads all
    // chats.
    await Promise.allSettled(ids.map(read));
  };
  const schedule = () => {
    if (running || waiting.size === 0) return;
    timer ??= setTimeout(() => {
      timer = undefined;
      running = true;
      void refresh().finally(() => {
        running = false;
        schedule();
      });
    }, TOGETHER_MS);
  };
  return {
    changed(chatId: string) {
      waiting.add(chatId);
      schedule();
    },
    stop() {
      clearTimeout(timer);
      timer = undefined;
      waiting.clear();
    },
  };
}

/** A person who is typing, as reported by the stream. */
export interface Typing {
  object: 'chat_typing';
  chat_id: string;
  address: string;
  is_typing: boolean;
}
export interface Typist {
  address: string;
  /** Milliseconds since the epoch at which it was heard. */
  at: number;
}
/** Returns who is typing in each chat, the most recent last. Entries expire after some seconds. */
export type Typists = ReadonlyMap<string, readonly Typist[]>;

/** Not every channel reports that a person stopped typing. */
export const TYPING_LIKELY_MS = 10_000;
/** In a chat; of more, the ones heard of last. */
const MAX_TYPISTS = 20;

/** @param address null means all participants. @param at start of typing; null: stopped */
function withTypist(before: Typists, chatId: string, address: string | null, at: number | null): Typists {
  const now = before.get(chatId) ?? [];
  const others = now.filter(
    (one) => address !== null && one.address !== address && Date.now() - one.at < TYPING_LIKELY_MS,
  );
  const then = at === null || address === null ? others : [...others, { address, at }].slice(-MAX_TYPISTS);
  if (then.length === 0 && now.length === 0) return before;
  const after = new Map(before);
  if (then.length > 0) after.set(chatId, then);
  else after.delete(chatId);
  return after;
}

export function useLiveChats(workspaceId: string): Typists {
  const client = useQueryClient();
  const [refresher] = useState(() => createRefresher(client, workspaceId));
  useEffect(() => () => refresher.stop(), [refresher]);
  const [typists, setTypists] = useState<Typists>(new Map());
  useLiveEvents(workspaceId, 'message.*,chat.*,group.*', (event) => {
    // Reads changes that happened while the stream was closed.
    if (event === null) {
      for (const noun of ['chats', 'groups'])
        void client.invalidateQueries({ queryKey: ['ws', workspaceId, noun] });
      return;
    }
    const object = event.data['object'] as Message | Chat | Group | Typing | undefined;
    if (object?.object === 'chat') putChat(client, workspaceId, object);
    if (object?.object === 'group') {
      putGroup(client, workspaceId, object);
      // Its chat may be new, or be called otherwise.
      refresher.changed(object.chat_id);
    }
    if (object?.object === 'chat_typing') {
      const { chat_id: chatId, address, is_typing: isTyping } = object;
      setTypists((before) => withTypist(before, chatId, address, isTyping ? Date.now() : null));
    }
    if (object?.object !== 'message') return;
    // A person who sent a message is no longer typing.
    if (event.type === 'message.received') {
      const { chat, from } = object;
      setTypists((before) => withTypist(before, chat.id, chat.kind === 'group' ? from : null, null));
    }
    putMessage(client, workspaceId, object, true);
    refresher.changed(object.chat.id);
  });
  return typists;
}
