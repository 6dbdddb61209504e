/** Converts content from a channel for storage: limited, accepted by the database, in the shape that the API shows. */
import { parseOwnJson } from '../../../platform/json/own-json.ts';
import { storableJson, storableText } from '../../../platform/db/storable-text.ts';
import { compileValidator } from '../../../platform/http/validation.ts';
import { publicId } from '../../../core/vocabulary/ids.ts';
import { isMediaType, type MessageType } from '../../../channels/contract/capabilities.ts';
import type { Edited, InboundMessage } from '../../../channels/contract/signal.ts';
import { CONTENT, normalizeContent, type StoredContent } from './message-content.ts';
import type { MessageRow } from './message.store.ts';
import { channelKey } from './channel-key.ts';

const MAX_TEXT = 65_536;
const MAX_DATA = 256 * 1024;
const MAX_WORDS = 1_000;
const MAX_MENTIONS = 50;

/** A text of a stranger's. */
export const toInboundText = (text: string): string => storableText(text.slice(0, MAX_TEXT));
/** Converts a name from a channel for storage. Lookups use `channelKey` instead. */
export const toInboundName = (text: string): string => storableText(text.slice(0, MAX_WORDS));
export const toInboundMentions = (mentions: readonly string[]): string[] =>
  mentions.slice(0, MAX_MENTIONS).map(channelKey);

/** Returns the type to store: a message with a file always has a media type. */
const heardType = ({ type, file, data }: InboundMessage): MessageType => {
  if (file) return isMediaType(type) ? type : 'document';
  if (type === 'text' || isMediaType(type)) return type;
  return hasShapeFor(type, data) ? type : 'text';
};

const isObject = (data: unknown): boolean => data !== null && typeof data === 'object';
/** Contacts are the one type that has a list. */
const hasShapeFor = (type: string, data: unknown): boolean =>
  Object.hasOwn(CONTENT, type) &&
  (type === 'contacts' ? Array.isArray(data) && data.every(isObject) : isObject(data));

/** Converts a time from a stranger: not before 1970, which some databases don't support, and not in the future. */
export const toInboundTime = (at: Date, now: Date): Date => (at.getTime() >= 0 && at <= now ? at : now);

/** @returns JSON that the database takes, names of members too; null if it is too large, or nested too deeply */
function heardData(data: unknown): unknown {
  let json: string;
  try {
    json = JSON.stringify(data);
  } catch {
    return null;
  }
  if (json.length > MAX_DATA) return null;
  return parseOwnJson(storableJson(json));
}

/** Returns the data of the channel besides the content; null if it is too large. */
export const toInboundData = (data: InboundMessage['channelData'] | Edited['channelData']) =>
  data ? (heardData(data) as MessageRow['channel_data']) : null;

const FITS = Object.fromEntries(
  Object.entries(CONTENT).map(([type, { shown }]) => [type, compileValidator(shown, 'body')]),
) as Record<MessageType, ReturnType<typeof compileValidator>>;

export interface InboundContent {
  type: MessageType;
  content: StoredContent;
}

/** @param mediaId of its file, where it has one */
export function toInboundContent(message: InboundMessage, mediaId: string | null): InboundContent {
  const type = heardType(message);
  const text = message.text === null ? null : toInboundText(message.text);
  if (isMediaType(type)) {
    const fileName = message.file && 'url' in message.file ? message.file.fileName : null;
    const content = {
      media_id: mediaId === null ? null : publicId('media', mediaId),
      caption: text === '' ? null : text,
      file_name: fileName === null ? null : toInboundName(fileName),
    };
    return { type, content };
  }
  const data = type === 'text' ? null : heardData(message.data);
  if (data === null) return { type: 'text', content: { body: text ?? '' } };
  const content = normalizeContent(type, data);
  // Content that the API could not show as this type becomes a text.
  return 'error' in FITS[type](content) ? { type: 'text', content: { body: text ?? '' } } : { type, content };
}
