/** What chats and messages are called, and their times. */
import type { Chat, Message, MessageType } from '../../api/types.ts';

export const chatTitle = (chat: Chat): string => chat.title ?? chat.contact_name ?? chat.address;

const TYPES: Record<MessageType, string> = {
  text: 'Text',
  image: 'Picture',
  video: 'Video',
  audio: 'Audio',
  voice: 'Voice message',
  document: 'Document',
  sticker: 'Sticker',
  location: 'Location',
  contacts: 'Contacts',
  poll: 'Poll',
  reaction: 'Reaction',
  template: 'Template',
  interactive: 'Choices',
  event: 'Event',
};
export const typeWord = (type: MessageType): string => TYPES[type];

/** The last message in a line: what it is, where it has no text; in a group also who wrote it. */
export function previewOf({ kind, last_message: last }: Chat): string {
  if (!last) return 'Nothing sent yet';
  const said = last.preview ?? typeWord(last.type);
  if (last.direction === 'outbound') return `You: ${said}`;
  const writer = kind === 'group' ? (last.from_name ?? last.from) : null;
  return writer === null ? said : `${writer}: ${said}`;
}

/** Files of a message, whatever type they are sent as. */
export const MEDIA_TYPES = ['image', 'video', 'audio', 'voice', 'document', 'sticker'] as const;
export type MediaType = (typeof MEDIA_TYPES)[number];
export const isMediaType = (type: MessageType): type is MediaType =>
  (MEDIA_TYPES as readonly string[]).includes(type);

/** Body or caption; null where there is none. */
export function textOf(message: Message): string | null {
  const { type } = message;
  if (type === 'text') return message.text?.body ?? null;
  return isMediaType(type) ? (message[type]?.caption ?? null) : null;
}

/** A line that tells a message from others. */
export function summaryOf(message: Message): string {
  if (message.deleted_at !== null) return 'Deleted message';
  const { type } = message;
  const name = isMediaType(type) ? message[type]?.file_name : null;
  return textOf(message) ?? message.poll?.question ?? message.interactive?.body ?? name ?? typeWord(type);
}

export const isOwn = ({ direction }: Message): boolean => direction === 'outbound';

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
export const clockTime = (at: string): string => clock.format(new Date(at));

const dated = new Intl.DateTimeFormat('en-GB', { weekday: 'long', day: 'numeric', month: 'long' });
const withYear = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric' });
const shortDate = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const DAY_MS = 86_400_000;
const dayOf = (at: Date): string => at.toDateString();

/** "Today", "Yesterday", "Monday 12 January", "3 May 2025". */
export function dayWord(at: string, now: number): string {
  const date = new Date(at);
  if (dayOf(date) === dayOf(new Date(now))) return 'Today';
  if (dayOf(date) === dayOf(new Date(now - DAY_MS))) return 'Yesterday';
  return (date.getFullYear() === new Date(now).getFullYear() ? dated : withYear).format(date);
}

/** For a list: the time today, else the day. */
export function shortTime(at: string, now: number): string {
  const date = new Date(at);
  return dayOf(date) === dayOf(new Date(now)) ? clock.format(date) : shortDate.format(date);
}

const UNITS = ['kilobyte', 'megabyte', 'gigabyte'] as const;

/** "482 kB", "1.2 MB". */
export function sizeWord(bytes: number): string {
  if (bytes < 1000) return bytes === 1 ? '1 byte' : `${bytes} bytes`;
  const step = Math.min(Math.floor(Math.log10(bytes) / 3), UNITS.length);
  const format = new Intl.NumberFormat('en', {
    style: 'unit',
    unit: UNITS[step - 1] ?? 'kilobyte',
    unitDisplay: 'short',
    maximumFractionDigits: step > 1 ? 1 : 0,
  });
  return format.format(bytes / 1000 ** step);
}
