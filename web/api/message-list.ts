/** The messages of all chats. Apart from messages.ts, which most pages load. */
import type { QueryClient } from '@tanstack/react-query';
import { apiFor, unwrap } from './client.ts';
import { listQuery } from './list.ts';
import type { operations } from './schema.d.ts';

export type MessageFilter = Omit<
  NonNullable<operations['messages.list']['parameters']['query']>,
  'limit' | 'cursor'
>;

const messageListsKey = (workspaceId: string) => ['ws', workspaceId, 'messages', 'list'] as const;

/** Gets the messages of all chats, newest first. */
export const messagesQuery = (workspaceId: string, filter: MessageFilter) =>
  listQuery([...messageListsKey(workspaceId), filter], (page, signal) =>
    unwrap(
      apiFor(workspaceId).GET('/api/v1/messages', { params: { query: { ...page, ...filter } }, signal }),
    ),
  );

export const refreshMessageLists = (client: QueryClient, workspaceId: string): Promise<void> =>
  client.invalidateQueries({ queryKey: messageListsKey(workspaceId) });
