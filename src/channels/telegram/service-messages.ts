/**
 * Messages that report a change in a chat instead of content: which of them are read, ignored on purpose, or unknown.
 */
import type { Message, PhotoSize, User } from '@grammyjs/types';
import type { Unprocessed } from '../contract/signal.ts';
import { readUser } from './people.ts';
import { object, text, type Untrusted } from './untrusted.ts';

/** Members that any message may have: they are about it, and are not its content. */
const COMMON = new Set([
  'message_id',
  'message_thread_id',
  'direct_messages_topic',
  'from',
  'sender_chat',
  'sender_boost_count',
  'sender_business_bot',
  'sender_tag',
  'receiver_user',
  'ephemeral_message_id',
  'date',
  'guest_query_id',
  'business_connection_id',
  'chat',
  'forward_origin',
  'is_topic_message',
  'is_automatic_forward',
  'reply_to_message',
  'external_reply',
  'quote',
  'reply_to_story',
  'reply_to_checklist_task_id',
  'reply_to_poll_option_id',
  'via_bot',
  'guest_bot_caller_user',
  'guest_bot_caller_chat',
  'edit_date',
  'has_protected_content',
  'is_from_offline',
  'is_paid_post',
  'media_group_id',
  'author_signature',
  'paid_star_count',
  'entities',
  'caption',
  'caption_entities',
  'show_caption_above_media',
  'has_media_spoiler',
  'link_preview_options',
  'effect_id',
  'reply_markup',
  'suggested_post_info',
]);

/** Changes that nothing here depends on. */
const IGNORED = new Set([
  'group_chat_created',
  'supergroup_chat_created',
  'channel_chat_created',
  'message_auto_delete_timer_changed',
  'forum_topic_created',
  'forum_topic_edited',
  'forum_topic_closed',
  'forum_topic_reopened',
  'general_forum_topic_hidden',
  'general_forum_topic_unhidden',
  'video_chat_scheduled',
  'video_chat_started',
  'video_chat_ended',
  'video_chat_participants_invited',
  'boost_added',
  'chat_background_set',
  'proximity_alert_triggered',
  'write_access_allowed',
  'connected_website',
  'giveaway_created',
  'giveaway_completed',
  'paid_message_price_changed',
  'direct_message_price_changed',
  'community_chat_added',
  'community_chat_removed',
]);

const isUser = (value: unknown): boolean => readUser(object<User>(value)) !== null;
const isId = (value: unknown): boolean => Number.isSafeInteger(value);
/** Changes that are read, with a check for their required fields. */
const READ: Record<string, (value: unknown) => boolean> = {
  new_chat_members: (value) => Array.isArray(value) && value.every(isUser),
  left_chat_member: isUser,
  new_chat_title: (value) => text(value, 255) !== null,
  new_chat_photo: (value) => Array.isArray(value) && value.every((one) => object<PhotoSize>(one) !== null),
  delete_chat_photo: (value) => value === true,
  migrate_to_chat_id: isId,
  migrate_from_chat_id: isId,
  pinned_message: (value) => isId(object<Message>(value)?.message_id),
};

/** Content that is read; it is malformed without its required fields. */
const CONTENT = new Set(['text', 'location', 'venue', 'contact', 'poll']);

/** Returns the unknown member that determines the kind of a message without readable content; null if all are known. */
export function findUnknown(
  message: Untrusted<Message>,
): { name: string; reason: Extract<Unprocessed['reason'], 'unknown_kind' | 'malformed'> } | null {
  const name = Object.keys(message).find(
    (one) => !COMMON.has(one) && !IGNORED.has(one) && !Object.hasOwn(READ, one),
  );
  return name === undefined ? null : { name, reason: CONTENT.has(name) ? 'malformed' : 'unknown_kind' };
}

/** Whether a message reports at least one change, and all changes that are read have their required fields. */
export function areServicesReadable(message: Untrusted<Message>): boolean {
  const given = Object.entries(message);
  return (
    given.some(([name]) => IGNORED.has(name) || Object.hasOwn(READ, name)) &&
    given.every(([name, value]) => !Object.hasOwn(READ, name) || READ[name]!(value))
  );
}
