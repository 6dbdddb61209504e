/** The messages of all chats. Apart from messages.ts, which most pages load. */
import type { QueryClient } from '@tanstack/react-query';
import { get, type FilterOf } from './call.ts';
import { listQuery } from './list.ts';

const messageListsKey = (workspaceId: string) => ['ws', workspaceId, 'messages', 'list'] as const;

/** Gets the messages of all chats, newest first. */
export const messagesQuery = (workspaceId: string, filter: FilterOf<'/messages'>) =>
  listQuery([...messageListsKey(workspaceId), filter], workspaceId, get('/messages', { query: filter }));

export const refreshMessageLists = (client: QueryClient, workspaceId: string): Promise<void> =>
  client.invalidateQueries({ queryKey: messageListsKey(workspaceId) });
