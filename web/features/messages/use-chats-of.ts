/** Names the chats of messages. */
import { chatQuery, recentChatsQuery } from '../../api/chats.ts';
import { useRecordsOf } from '../../api/records-of.ts';
import type { Chat, Message } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../api/workspace-context.ts';

/** Returns the chats of messages by ID, as far as they are loaded. Recent messages are mostly in recent chats. */
export function useChatsOf(messages: readonly Message[]): ReadonlyMap<string, Chat> {
  const { workspace } = useWorkspace();
  return useRecordsOf(
    messages.map(({ chat }) => chat.id),
    {
      first: recentChatsQuery(workspace.id),
      one: (id) => chatQuery(workspace.id, id),
      enabled: useCan('chats:read'),
    },
  );
}
