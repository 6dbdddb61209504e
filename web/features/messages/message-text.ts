/** Labels of messages and of their chats. */
import { t } from '../../copy/text.ts';
import type { Chat, Message, MessageType } from '../../api/types.ts';

export const chatTitle = (chat: Chat): string => chat.title ?? chat.contact_name ?? chat.address;

const TYPES: Record<MessageType, string> = {
  text: t('Text'),
  image: t('Image'),
  video: t('Video'),
  audio: t('Audio'),
  voice: t('Voice message'),
  document: t('Document'),
  sticker: t('Sticker'),
  location: t('Location'),
  contacts: t('Contacts'),
  poll: t('Poll'),
  reaction: t('Reaction'),
  template: t('Template'),
  interactive: t('Interactive'),
  event: t('Event'),
};
export const typeWord = (type: MessageType): string => TYPES[type];

/** Types of messages that carry a file. */
export const MEDIA_TYPES = ['image', 'video', 'audio', 'voice', 'document', 'sticker'] as const;
export type MediaType = (typeof MEDIA_TYPES)[number];
export const isMediaType = (type: MessageType): type is MediaType =>
  (MEDIA_TYPES as readonly string[]).includes(type);

/** Returns the body or caption, or null without one. */
export function getText(message: Message): string | null {
  const { type } = message;
  if (type === 'text') return message.text?.body ?? null;
  return isMediaType(type) ? (message[type]?.caption ?? null) : null;
}

/** Returns the title of structured content: a question, a place, an event. */
function getTitle({ poll, interactive, event, location, contacts, template }: Message): string | null {
  if (contacts) return contacts.map(({ name }) => name).join(', ');
  return (
    poll?.question ??
    interactive?.body ??
    event?.name ??
    location?.name ??
    location?.address ??
    template?.name ??
    null
  );
}

/** Returns one line that describes a message. */
export function getSummary(message: Message): string {
  if (message.deleted_at !== null) return t('Deleted message');
  const { type } = message;
  const name = isMediaType(type) ? message[type]?.file_name : null;
  return getText(message) ?? getTitle(message) ?? name ?? typeWord(type);
}

const STATUSES: Record<Message['status'], string> = {
  scheduled: t('Scheduled'),
  queued: t('Queued'),
  sending: t('Sending'),
  sent: t('Sent'),
  delivered: t('Delivered'),
  read: t('Read'),
  failed: t('Failed'),
  canceled: t('Canceled'),
  received: t('Received'),
};
export const statusLabel = (status: Message['status']): string => STATUSES[status];

const SOURCES: Record<Message['source'], string> = {
  api: t('API'),
  console: t('Console'),
  rule: t('Rule'),
  publishing: t('Publishing'),
  channel: t('Another device'),
};
const SENDERS: Record<Message['source'], string> = {
  api: t('Sent with an API key'),
  console: t('Sent in the console'),
  rule: t('Sent by a rule'),
  publishing: t('Sent by a publishing endpoint'),
  channel: t('Sent from another device'),
};
export const senderLabel = (source: Message['source']): string => SENDERS[source];
export const sourceLabel = (source: Message['source']): string => SOURCES[source];

export const isOwn = ({ direction }: Message): boolean => direction === 'outbound';
