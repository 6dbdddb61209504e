/** Rows of messages as the API shows them: in answers, lists and events alike. */
import { publicId } from '../../../core/vocabulary/ids.ts';
import { MESSAGE_TYPES } from '../../../channels/contract/capabilities.ts';
import type { Automatic } from '../../../channels/contract/signal.ts';
import type { MessageDirection, MessageObject, MessageSource, PendingAction } from './message.schema.ts';
import { presentChannelData } from './message-channel-data.ts';
import type { MessageStatus, StatusEntry } from './message-status.ts';
import type { MessageRow } from './message.store.ts';

/** Titles of our own error codes; a channel's codes are shown unchanged. */
const TITLES: Record<string, string> = {
  expired: 'Not sent in time',
  delivery_unknown: 'Not known whether it was sent',
  media_failed: 'Its file is not there',
};

const getTitle = (code: string): string => {
  const words = code.replaceAll('_', ' ');
  return TITLES[code] ?? words.charAt(0).toUpperCase() + words.slice(1);
};

const time = (at: Date | null): string | null => at?.toISOString() ?? null;
const getId = (kind: 'contact' | 'message', uuid: string | null): string | null =>
  uuid === null ? null : publicId(kind, uuid);

const NO_CONTENT = Object.fromEntries(MESSAGE_TYPES.map((type) => [type, null]));

export function presentMessage(row: MessageRow): MessageObject {
  const isDeleted = row.deleted_at !== null;
  return {
    id: publicId('message', row.id),
    object: 'message',
    instance_id: publicId('instance', row.instance_id),
    direction: row.direction as MessageDirection,
    source: row.source as MessageSource,
    chat: { id: publicId('chat', row.chat_id), kind: row.chat_kind },
    from: row.from_address,
    to: row.to_address,
    contact_id: getId('contact', row.contact_id),
    type: row.type,
    ...NO_CONTENT,
    ...(isDeleted ? {} : { [row.type]: row.content }),
    subject: row.subject,
    thread_id: row.thread_id,
    reply_to: getId('message', row.reply_to),
    mentions: row.mentions,
    automatic: row.automatic as Automatic | null,
    channel_data: isDeleted ? null : presentChannelData(row.channel_data),
    reactions: row.reactions.flatMap(({ author, emoji, others, from_me, created_at: at }) =>
      [emoji, ...others].map((one) => ({
        emoji: one,
        from: author,
        from_me,
        created_at: new Date(at).toISOString(),
      })),
    ),
    pinned: row.pinned,
    status: row.status as MessageStatus,
    status_history: (row.status_history as unknown as StatusEntry[]).map(({ status, at, pricing }) => ({
      status,
      at,
      pricing: pricing ?? null,
    })),
    error:
      row.error_code === null
        ? null
        : {
            code: row.error_code,
            title: getTitle(row.error_code),
            detail: row.error_detail ?? '',
            retryable: row.error_retryable ?? false,
          },
    pending_action: row.pending_action as PendingAction | null,
    action_error: row.action_error as MessageObject['action_error'],
    external_id: row.external_id,
    sequence: row.sequence,
    scheduled_at: time(row.scheduled_at),
    sent_at: time(row.sent_at),
    delivered_at: time(row.delivered_at),
    read_at: time(row.read_at),
    edited_at: time(row.edited_at),
    deleted_at: time(row.deleted_at),
    metadata: row.metadata as Record<string, string>,
    created_by: row.created_by,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  } as MessageObject;
}
