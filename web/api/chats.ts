/** Chats and the messages in them, as queries that the event stream keeps true (live-chats.ts). */
import { queryOptions } from '@tanstack/react-query';
import { readQuery } from './read.ts';
import { get, send, patch, post, type BodyOf, type FilterOf } from './call.ts';
import { listQuery } from './list.ts';

export type ChatFilter = FilterOf<'/chats'>;
export type ChatChange = BodyOf<'patch', '/chats/{id}'>;

const chatsKey = (workspaceId: string) => ['ws', workspaceId, 'chats'] as const;
/** Prefix of the keys of all chat lists; the filter follows it. */
export const chatListsKey = (workspaceId: string) => [...chatsKey(workspaceId), 'list'] as const;
export const chatKey = (workspaceId: string, id: string) => [...chatsKey(workspaceId), 'one', id] as const;
export const chatMessagesKey = (workspaceId: string, id: string) =>
  [...chatsKey(workspaceId), 'messages', id] as const;

/** By latest activity. */
export const chatsQuery = (workspaceId: string, filter: ChatFilter) =>
  listQuery([...chatListsKey(workspaceId), filter], workspaceId, get('/chats', { query: filter }));

/** The most that a page of the API holds. */
const MAX_RECENT = 100;

/** Gets the chats with the latest activity, archived ones too. */
export const recentChatsQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: [...chatsKey(workspaceId), 'recent'],
    queryFn: async ({ signal }) =>
      (await send(workspaceId, get('/chats', { query: { limit: MAX_RECENT } }), { signal })).data,
  });

export const chatQuery = (workspaceId: string, id: string) =>
  readQuery(chatKey(workspaceId, id), workspaceId, get('/chats/{id}', { path: { id } }));

/** Newest first. */
export const chatMessagesQuery = (workspaceId: string, id: string) =>
  listQuery(chatMessagesKey(workspaceId, id), workspaceId, get('/chats/{id}/messages', { path: { id } }));

export const updateChat = (id: string, body: ChatChange) => patch('/chats/{id}', { path: { id }, body });

/** Marks all messages received so far as read. */
export const readChat = (id: string) => post('/chats/{id}/read', { path: { id } });

export const tellTyping = (id: string, isTyping: boolean) =>
  post('/chats/{id}/typing', { path: { id }, body: { is_typing: isTyping } });
