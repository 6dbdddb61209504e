/** Chats and the messages in them, as queries that the event stream keeps true (live-chats.ts). */
import { queryOptions } from '@tanstack/react-query';
import { apiFor, unwrap } from './client.ts';
import { ifMatch } from './edit.ts';
import { listQuery } from './list.ts';
import type { operations } from './schema.d.ts';
import type { Chat } from './types.ts';

export interface ChatFilter {
  instance_id?: string;
  archived?: boolean;
  unread?: boolean;
  q?: string;
}
export type ChatChange = NonNullable<
  operations['chats.update']['requestBody']
>['content']['application/json'];

const chatsKey = (workspaceId: string) => ['ws', workspaceId, 'chats'] as const;
/** All lists of chats begin with this; the filter is what comes behind. */
export const chatListsKey = (workspaceId: string) => [...chatsKey(workspaceId), 'list'] as const;
export const chatKey = (workspaceId: string, id: string) => [...chatsKey(workspaceId), 'one', id] as const;
export const chatMessagesKey = (workspaceId: string, id: string) =>
  [...chatsKey(workspaceId), 'messages', id] as const;

/** By latest activity. */
export const chatsQuery = (workspaceId: string, filter: ChatFilter) =>
  listQuery([...chatListsKey(workspaceId), filter], (page, signal) =>
    unwrap(apiFor(workspaceId).GET('/api/v1/chats', { params: { query: { ...page, ...filter } }, signal })),
  );

/** The most that a page of the API holds. */
const MAX_RECENT = 100;

/** Gets the chats with the latest activity, archived ones too. */
export const recentChatsQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: [...chatsKey(workspaceId), 'recent'],
    queryFn: async ({ signal }) => {
      const query = { limit: MAX_RECENT };
      return (await unwrap(apiFor(workspaceId).GET('/api/v1/chats', { params: { query }, signal }))).data;
    },
  });

export const chatQuery = (workspaceId: string, id: string) =>
  queryOptions({
    queryKey: chatKey(workspaceId, id),
    queryFn: ({ signal }) =>
      unwrap(apiFor(workspaceId).GET('/api/v1/chats/{id}', { params: { path: { id } }, signal })),
  });

/** Newest first. */
export const chatMessagesQuery = (workspaceId: string, id: string) =>
  listQuery(chatMessagesKey(workspaceId, id), (page, signal) =>
    unwrap(
      apiFor(workspaceId).GET('/api/v1/chats/{id}/messages', {
        params: { path: { id }, query: page },
        signal,
      }),
    ),
  );

/** @param version the ETag that was read; null overwrites whatever there is */
export const updateChat = (
  workspaceId: string,
  id: string,
  body: ChatChange,
  version: string | null = null,
): Promise<Chat> =>
  unwrap(
    apiFor(workspaceId).PATCH('/api/v1/chats/{id}', { params: { path: { id }, ...ifMatch(version) }, body }),
  );

/** All that came so far. */
export const readChat = (workspaceId: string, id: string): Promise<Chat> =>
  unwrap(apiFor(workspaceId).POST('/api/v1/chats/{id}/read', { params: { path: { id } } }));

export const tellTyping = (workspaceId: string, id: string, isTyping: boolean) =>
  unwrap(
    apiFor(workspaceId).POST('/api/v1/chats/{id}/typing', {
      params: { path: { id } },
      body: { is_typing: isTyping },
    }),
  );
