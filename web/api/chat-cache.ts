/**
 * Updates the queries that show chats and messages. An older version than the cached one is ignored: a response can
 * arrive after a newer event.
 */
import type { InfiniteData, QueryClient } from '@tanstack/react-query';
import { type ChatFilter, chatKey, chatListsKey, chatMessagesKey } from './chats.ts';
import { messageQuery } from './messages.ts';
import type { Chat, Message, Page } from './types.ts';

type Pages<T> = InfiniteData<Page<T>, string | null>;

/** Whether a chat comes first in a list: by latest activity; chats without activity come last. */
const isBefore = (one: Chat, other: Chat): boolean => {
  const [at, than] = [one.last_message_at ?? '', other.last_message_at ?? ''];
  return at === than ? one.id > other.id : at > than;
};

/** @param wasIn whether the list had it before: only the server can evaluate a search */
function belongs(chat: Chat, filter: ChatFilter, wasIn: boolean): boolean {
  if (filter.instance_id !== undefined && filter.instance_id !== chat.instance_id) return false;
  if (filter.archived !== undefined && filter.archived !== chat.archived) return false;
  if (filter.unread !== undefined && filter.unread !== chat.unread > 0) return false;
  return wasIn || filter.q === undefined;
}

function placed(data: Pages<Chat>, chat: Chat, filter: ChatFilter): Pages<Chat> {
  const wasIn = data.pages.some((page) => page.data.some(({ id }) => id === chat.id));
  const pages = data.pages.map((page) => ({ ...page, data: page.data.filter(({ id }) => id !== chat.id) }));
  const last = pages.at(-1);
  if (belongs(chat, filter, wasIn)) {
    const page = pages.find((one) => one.data.some((other) => isBefore(chat, other)));
    if (page)
      page.data.splice(
        page.data.findIndex((other) => isBefore(chat, other)),
        0,
        chat,
      );
    // A chat beyond the loaded pages is loaded with its page.
    else if (last && !last.has_more) last.data.push(chat);
  }
  return { ...data, pages };
}

export function putChat(client: QueryClient, workspaceId: string, chat: Chat): void {
  client.setQueryData(chatKey(workspaceId, chat.id), chat);
  const lists = client.getQueryCache().findAll({ queryKey: chatListsKey(workspaceId) });
  for (const { queryKey } of lists)
    client.setQueryData<Pages<Chat>>(queryKey, (data) => data && placed(data, chat, queryKey.at(-1) ?? {}));
}

const byId = (one: Message, other: Message): number => (one.id < other.id ? 1 : -1);

function withMessage(data: Pages<Message>, message: Message, isNews: boolean): Pages<Message> {
  const known = data.pages.flatMap((page) => page.data).find(({ id }) => id === message.id);
  if (known && (isNews ? known.updated_at > message.updated_at : known.updated_at >= message.updated_at))
    return data;
  const pages = data.pages.map((page) => ({
    ...page,
    data: page.data.map((one) => (one.id === message.id ? message : one)),
  }));
  const [first] = pages;
  if (!known && first) first.data = [message, ...first.data].toSorted(byId);
  return { ...data, pages };
}

/** @param isNews whether it comes from the event stream, which is ordered: it wins over a chat with the same time */
export function putMessage(client: QueryClient, workspaceId: string, message: Message, isNews = false): void {
  client.setQueryData<Pages<Message>>(
    chatMessagesKey(workspaceId, message.chat.id),
    (data) => data && withMessage(data, message, isNews),
  );
  client.setQueryData(messageQuery(workspaceId, message.id).queryKey, (before) => before && message);
}
