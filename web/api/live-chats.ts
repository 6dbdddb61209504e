/** Keeps chats and the messages of the one that is looked at true, by the event stream; and tells who types. */
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { putChat, putMessage } from './chat-cache.ts';
import { chatListsKey, chatQuery } from './chats.ts';
import { useLiveEvents } from './live-events.ts';
import type { Chat, Message } from './types.ts';

/** Messages that come together are one change of their chat. */
const TOGETHER_MS = 150;
/** More chats than these at once, and the list is read instead of each of them. */
const MOST_SINGLE = 12;

/** Reads chats whose messages changed: title, last message and unread stand in no message's event. */
function createRefresher(client: QueryClient, workspaceId: string) {
  const waiting = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let running = false;
  const refresh = async () => {
    const ids = [...waiting];
    waiting.clear();
    if (ids.length > MOST_SINGLE) {
      await client.invalidateQueries({ queryKey: chatListsKey(workspaceId) });
      return;
    }
    const read = (id: string) =>
      client
        .fetchQuery({ ...chatQuery(workspaceId, id), staleTime: 0 })
        .then((chat) => putChat(client, workspaceId, chat));
    // One that can't be read (deleted meanwhile, no answer) stays as it is; the next opening of the stream reads all.
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

/** Somebody who types, as the stream alone tells it. */
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
/** Who types, by chat: the last one that was heard of. It is over by itself after some seconds. */
export type Typists = ReadonlyMap<string, Typist>;

const withTypist = (before: Typists, chatId: string, typist: Typist | null): Typists => {
  if (typist === null && !before.has(chatId)) return before;
  const after = new Map(before);
  if (typist) after.set(chatId, typist);
  else after.delete(chatId);
  return after;
};

export function useLiveChats(workspaceId: string): Typists {
  const client = useQueryClient();
  const [refresher] = useState(() => createRefresher(client, workspaceId));
  useEffect(() => () => refresher.stop(), [refresher]);
  const [typists, setTypists] = useState<Typists>(new Map());
  useLiveEvents(workspaceId, 'message.*,chat.*', (event) => {
    // What happened while there was no stream is read.
    if (event === null) {
      void client.invalidateQueries({ queryKey: ['ws', workspaceId, 'chats'] });
      return;
    }
    const object = event.data['object'] as Message | Chat | Typing | undefined;
    if (object?.object === 'chat') putChat(client, workspaceId, object);
    if (object?.object === 'chat_typing') {
      const typist = object.is_typing ? { address: object.address, at: Date.now() } : null;
      setTypists((before) => withTypist(before, object.chat_id, typist));
    }
    if (object?.object !== 'message') return;
    // Who has written types no more.
    if (event.type === 'message.received') setTypists((before) => withTypist(before, object.chat.id, null));
    putMessage(client, workspaceId, object, true);
    refresher.changed(object.chat.id);
  });
  return typists;
}
