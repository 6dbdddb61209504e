/** Reads the content of a message: its type, text, data and file. */
import type {
  Contact,
  Location,
  Message,
  MessageEntity,
  PhotoSize,
  Poll,
  User,
  Venue,
} from '@grammyjs/types';
import type { MessageType } from '../contract/capabilities.ts';
import type { ChannelData } from '../contract/channel-data.ts';
import type { Json } from '../contract/json.ts';
import { getMentionedUser, readRichText } from './rich-text.ts';
import { finite, integer, list, object, text, type Untrusted } from './untrusted.ts';
import { readVcard } from './vcard.ts';

export interface FileRef {
  id: string;
  size: number | null;
  fileName: string | null;
  mimeType: string | null;
}

export interface Content {
  type: MessageType;
  text: string | null;
  data: Json;
  file: FileRef | null;
  channelData: ChannelData | null;
  /** The text only describes the content and was not written by the sender. */
  isPlaceholder: boolean;
}

export type InboundText = Untrusted<Message>;

/** As much as the product keeps of a text. */
const MAX_TEXT = 65_536;
const MAX_NAME = 255;
const MAX_ENTITIES = 200;
const MAX_URL = 2048;
const MAX_OPTIONS = 20;
const MAX_PHOTOS = 20;
const MAX_VCARD = 8192;

const readEntities = (value: unknown): Untrusted<MessageEntity & { url: string; user: User }>[] =>
  list(value, MAX_ENTITIES).flatMap((one) => object<MessageEntity & { url: string; user: User }>(one) ?? []);

/**
 * Returns text or caption. Formatting is dropped, but the destination of a link behind other words is added in
 * parentheses, so that readers see it before they follow it.
 */
function readText(given: unknown, entities: unknown): string | null {
  const plain = text(given, MAX_TEXT);
  if (plain === null) return null;
  let result = '';
  let at = 0;
  for (const entity of readEntities(entities)) {
    const [offset, length, url] = [integer(entity.offset), integer(entity.length), text(entity.url, MAX_URL)];
    if (entity.type !== 'text_link' || url === null || offset === null || length === null) continue;
    const end = offset + length;
    if (offset < at || length < 1 || end > plain.length) continue;
    result += plain.slice(at, end);
    at = end;
    if (plain.slice(offset, end) !== url) result += ` (${url})`;
  }
  return (result + plain.slice(at)).slice(0, MAX_TEXT);
}

/** Returns the IDs of mentioned users. A user name alone does not identify a user, except for the bot's own. */
export function readMentions(message: InboundText, bot: { id: number; username: string | null }): string[] {
  const plain = text(message.text, MAX_TEXT) ?? text(message.caption, MAX_TEXT) ?? '';
  const own = bot.username?.toLowerCase() ?? null;
  const rich = readRichText(message.rich_message, MAX_TEXT).mentions;
  const ids = [...readEntities(message.entities ?? message.caption_entities), ...rich].flatMap((entity) => {
    if (entity.type === 'text_mention') return getMentionedUser(entity) ?? [];
    if (entity.type !== 'mention' || own === null) return [];
    const [offset, length] = [integer(entity.offset) ?? 0, integer(entity.length) ?? 0];
    const given = 'username' in entity ? text(entity.username, 64) : plain.slice(offset, offset + length);
    return given?.replace(/^@/, '').toLowerCase() === own ? bot.id : [];
  });
  return [...new Set(ids)].map(String);
}

interface AnyFile {
  file_id: string;
  file_size: number;
  file_name: string;
  mime_type: string;
}

function readFile(value: unknown, mimeType: string | null = null): FileRef | null {
  const given = object<AnyFile>(value);
  const id = text(given?.file_id, 500);
  if (!given || id === null || id === '') return null;
  return {
    id,
    size: integer(given.file_size),
    fileName: text(given.file_name, MAX_NAME),
    mimeType: text(given.mime_type, MAX_NAME) ?? mimeType,
  };
}

/** Returns the largest size of a photo. */
function readPhoto(value: unknown): FileRef | null {
  const sizes = list(value, MAX_PHOTOS).flatMap((one) => object<PhotoSize>(one) ?? []);
  const area = (size: Untrusted<PhotoSize>): number =>
    (integer(size.width) ?? 0) * (integer(size.height) ?? 0);
  const largest = sizes.toSorted((a, b) => area(b) - area(a))[0];
  return readFile(largest, 'image/jpeg');
}

const readSticker = (value: unknown): FileRef | null => {
  const about = object<{ is_animated: boolean; is_video: boolean }>(value);
  const mimeType =
    about?.is_animated === true
      ? 'application/x-tgsticker'
      : about?.is_video === true
        ? 'video/webm'
        : 'image/webp';
  return readFile(value, mimeType);
};

/** The order matters: an animation also has a document. */
const FILES: readonly (readonly [keyof Message, MessageType, (value: unknown) => FileRef | null])[] = [
  ['photo', 'image', readPhoto],
  ['animation', 'video', (value) => readFile(value, 'video/mp4')],
  ['video', 'video', (value) => readFile(value, 'video/mp4')],
  ['video_note', 'video', (value) => readFile(value, 'video/mp4')],
  ['audio', 'audio', (value) => readFile(value, 'audio/mpeg')],
  ['voice', 'voice', (value) => readFile(value, 'audio/ogg')],
  ['sticker', 'sticker', readSticker],
  ['document', 'document', (value) => readFile(value)],
];

function readLocation(place: unknown, venue: Untrusted<Venue> | null): Json {
  const given = object<Location>(place);
  const [latitude, longitude] = [finite(given?.latitude), finite(given?.longitude)];
  if (latitude === null || longitude === null) return null;
  const [name, address] = [text(venue?.title, MAX_NAME), text(venue?.address, 1000)];
  // Locations sent without an address have their coordinates as the address.
  return { latitude, longitude, name, address: address === `${latitude}, ${longitude}` ? null : address };
}

const toNumber = (phone: string): string => (/^\d/.test(phone) ? `+${phone}` : phone);
const getDigits = (phone: string): string => phone.replaceAll(/\D/g, '');

function readContact(value: unknown): Json {
  const given = object<Contact>(value);
  const phone = text(given?.phone_number, 100);
  const name = [text(given?.first_name, MAX_NAME), text(given?.last_name, MAX_NAME)]
    .filter(Boolean)
    .join(' ');
  if (phone === null) return null;
  const number = toNumber(phone);
  const card = readVcard(text(given?.vcard, MAX_VCARD) ?? '');
  // The card repeats the number, spaced or not.
  const others = card.phones.map(toNumber).filter((one) => getDigits(one) !== getDigits(number));
  return [
    {
      name: name || number,
      phones: [number, ...others],
      emails: card.emails.length ? card.emails : null,
      organization: card.organization,
    },
  ];
}

function readPoll(value: unknown): Json {
  const given = object<Poll>(value);
  const question = text(given?.question, 300);
  const options = list(given?.options, MAX_OPTIONS).flatMap(
    (one) => text(object<{ text: string }>(one)?.text, 100) ?? [],
  );
  if (!given || question === null) return null;
  return { question, options, multiple: given.allows_multiple_answers === true };
}

/** Content without a type of its own; readers at least see its kind. */
const OTHERS = [
  'dice',
  'game',
  'invoice',
  'story',
  'paid_media',
  'live_photo',
  'giveaway',
  'checklist',
] as const satisfies (keyof Message)[];

export const NO_DATA: ChannelData = { referral: null, product: null, order: null };
const toPlaceholder = (name: string): string => `[${name.replaceAll('_', ' ')}]`;

/** A message that consists of blocks: their text is its text, and the rest is kept as received. */
function readRich(message: InboundText): Pick<Content, 'text' | 'channelData' | 'isPlaceholder'> | null {
  if (!object(message.rich_message)) return null;
  const { text: words } = readRichText(message.rich_message, MAX_TEXT);
  return {
    text: words === '' ? toPlaceholder('rich_message') : words,
    channelData: { ...NO_DATA, rich_message: message.rich_message as Json },
    isPlaceholder: words === '',
  };
}

/** Returns the content of a message; null for a service message. */
export function readContent(message: InboundText): Content | null {
  const none = { text: null, data: null, file: null, channelData: null, isPlaceholder: false };
  const body = readText(message.text, message.entities);
  if (body !== null) return { ...none, type: 'text', text: body };
  const rich = readRich(message);
  if (rich) return { ...none, type: 'text', ...rich };
  for (const [name, type, read] of FILES)
    if (message[name] !== undefined) {
      const caption = readText(message.caption, message.caption_entities);
      return { ...none, type, text: caption, file: read(message[name]) };
    }
  const data: [MessageType, Json][] = [
    [
      'location',
      readLocation(object<Venue>(message.venue)?.location ?? message.location, object<Venue>(message.venue)),
    ],
    ['contacts', readContact(message.contact)],
    ['poll', readPoll(message.poll)],
  ];
  for (const [type, value] of data) if (value !== null) return { ...none, type, data: value };
  const other = OTHERS.find((name) => message[name] !== undefined);
  if (!other) return null;
  const channelData = { ...NO_DATA, unsupported: { type: other, content: message[other] as Json } };
  // Paid media have one.
  const caption = readText(message.caption, message.caption_entities);
  return {
    ...none,
    type: 'text',
    text: caption ?? toPlaceholder(other),
    channelData,
    isPlaceholder: caption === null,
  };
}
