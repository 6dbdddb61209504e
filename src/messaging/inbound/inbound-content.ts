/** What a channel told, as it is kept: bounded, fit for the database, in the shape that the API shows. */
import { storableText } from '../../db/storable-text.ts';
import { publicId } from '../../http/ids.ts';
import { isMediaType, type MessageType } from '../channels/capabilities.ts';
import type { InboundMessage } from '../channels/driver.ts';
import { normaliseContent, type StoredContent } from '../messages/message-content.ts';

const MOST_TEXT = 65_536;
const MOST_DATA = 256 * 1024;
const MOST_WORDS = 1_000;
const MOST_MENTIONS = 50;

/** A text of a stranger's. */
export const heardText = (text: string): string => storableText(text.slice(0, MOST_TEXT));
/** A name, an address or an id of a stranger's. */
export const heardWords = (text: string): string => storableText(text.slice(0, MOST_WORDS));
export const heardMentions = (mentions: readonly string[]): string[] =>
  mentions.slice(0, MOST_MENTIONS).map(heardWords);

/** The type that it is kept as: a file has a type of files, whatever else was said. */
const heardType = ({ type, file, data }: InboundMessage): MessageType => {
  if (file) return isMediaType(type) ? type : 'document';
  if (type === 'text' || isMediaType(type)) return type;
  return data !== null && typeof data === 'object' ? type : 'text';
};

/** @returns JSON that the database takes; null where it is too large */
function heardData(data: unknown): unknown {
  const json = JSON.stringify(data);
  if (json.length > MOST_DATA) return null;
  return JSON.parse(json, (_, value: unknown) => (typeof value === 'string' ? storableText(value) : value));
}

export interface HeardContent {
  type: MessageType;
  content: StoredContent;
}

/** @param mediaId of its file, where it has one */
export function heardContent(message: InboundMessage, mediaId: string | null): HeardContent {
  const type = heardType(message);
  const text = message.text === null ? null : heardText(message.text);
  if (isMediaType(type)) {
    const fileName = message.file && 'url' in message.file ? message.file.fileName : null;
    const content = {
      media_id: mediaId === null ? null : publicId('media', mediaId),
      caption: text === '' ? null : text,
      file_name: fileName === null ? null : heardWords(fileName),
    };
    return { type, content };
  }
  const data = type === 'text' ? null : heardData(message.data);
  if (data === null) return { type: 'text', content: { body: text ?? '' } };
  return { type, content: normaliseContent(type, data) };
}
