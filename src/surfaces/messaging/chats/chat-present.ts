/** Converts chat rows to API objects. */
import { mayDo, type Scope } from '../../../core/vocabulary/scopes.ts';
import { publicId } from '../../../core/vocabulary/ids.ts';
import type { MessageType } from '../../../channels/contract/capabilities.ts';
import type { MessageDirection } from '../records/message.schema.ts';
import type { MessageStatus } from '../records/message-status.ts';
import { toText } from '../records/message-content.ts';
import type { ChatObject } from './chat.schema.ts';
import type { ChatRow } from '../records/chat.store.ts';

const PREVIEW = 200;

function lastMessage(last: NonNullable<ChatRow['last_message']>): NonNullable<ChatObject['last_message']> {
  const text = last.deleted ? null : toText(last.type, last.content);
  return {
    id: publicId('message', last.id),
    direction: last.direction as MessageDirection,
    from: last.from,
    from_name: last.from_name,
    type: last.type as MessageType,
    preview:
      text === null
        ? null
        : Array.from(text.slice(0, 2 * PREVIEW))
            .slice(0, PREVIEW)
            .join('')
            .toWellFormed(),
    status: last.status as MessageStatus,
    created_at: new Date(last.created_at).toISOString(),
  };
}

/** Converts a row for events. The content of messages has its own scope and is therefore omitted. */
export const presentChatInEvent = (row: ChatRow, now: Date): ChatObject => presentChat(row, now, new Set());

/** @param scopes scopes of the reader; `messages:read` includes the last message */
export function presentChat(row: ChatRow, now: Date, scopes: ReadonlySet<Scope>): ChatObject {
  const isMuted = row.muted_forever || (row.muted_until !== null && row.muted_until > now);
  return {
    id: publicId('chat', row.id),
    object: 'chat',
    instance_id: publicId('instance', row.instance_id),
    kind: row.kind as ChatObject['kind'],
    address: row.address,
    title: row.title,
    contact_id: row.contact_id === null ? null : publicId('contact', row.contact_id),
    contact_name: row.contact_name,
    group_id: row.group_id === null ? null : publicId('group', row.group_id),
    last_message: row.last_message && mayDo(scopes, 'messages:read') ? lastMessage(row.last_message) : null,
    last_message_at: row.last_message_at?.toISOString() ?? null,
    unread: row.unread,
    archived: row.archived_at !== null,
    muted: isMuted,
    muted_until: isMuted ? (row.muted_until?.toISOString() ?? null) : null,
    metadata: row.metadata as Record<string, string>,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
