/** A message before it is sent, and the limits of its channel. */
import { formatNumber, t } from '../../copy/text.ts';
import type { NewMessage } from '../../api/messages.ts';
import type { Capabilities, Chat, Message } from '../../api/types.ts';
import type { ThreadId } from './threads.ts';
import { sizeWord } from '../../design/size-text.ts';
import { isMediaType, MEDIA_TYPES, type MediaType, typeWord } from '../messages/message-text.ts';

const fits = (mimeTypes: readonly string[] | null | undefined, mimeType: string): boolean =>
  !mimeTypes ||
  mimeTypes.some((one) => (one.endsWith('/*') ? mimeType.startsWith(one.slice(0, -1)) : one === mimeType));

/** The type of message for a file, by the MIME type from the browser. The server checks the content. */
const NATURAL: Record<string, MediaType> = { image: 'image', video: 'video', audio: 'audio' };

/** Returns the types that a file can be sent as, best first. Empty if the channel doesn't support the file. */
export function sendableAs(
  { types }: Capabilities,
  { type, size }: { type: string; size: number },
): MediaType[] {
  const natural = NATURAL[type.split('/')[0] ?? ''];
  const found = MEDIA_TYPES.filter((one) => {
    const capability = types[one];
    if (!capability || !fits(capability.mime_types, type)) return false;
    // A capability for any MIME type means documents.
    if (one !== 'document' && !capability.mime_types && one !== natural) return false;
    return size <= (capability.max_bytes ?? Infinity);
  });
  const rank = (one: MediaType): number => (one === natural ? 0 : one === 'document' ? 1 : 2);
  return found.toSorted((one, other) => rank(one) - rank(other));
}

export interface Draft {
  text: string;
  file: File | null;
  as: MediaType | null;
  reply: Message | null;
  /** The value of a `datetime-local` field; null sends immediately. */
  at: string | null;
  /** Undefined until something is written, so that a message received meanwhile doesn't move the draft. */
  thread?: ThreadId | undefined;
}

export const EMPTY: Draft = { text: '', file: null, as: null, reply: null, at: null };

/** Returns why a draft can't be sent, or null if it can. */
export function getDraftError({ text, file, as, at }: Draft, { types }: Capabilities): string | null {
  const capability = types[as ?? 'text'];
  if (!capability)
    return t("This channel doesn't support this type: {type}.", { type: typeWord(as ?? 'text') });
  // The API counts code points.
  const { length } = Array.from(text.trim());
  if (file && length > 0 && capability.max_text === null)
    return t("This channel doesn't support captions for this type: {type}.", {
      type: typeWord(as ?? 'document'),
    });
  if (capability.max_text !== null && length > capability.max_text)
    return t('The message is too long: {length} of {max} characters.', {
      length: formatNumber(length),
      max: formatNumber(capability.max_text),
    });
  if (file && file.size > (capability.max_bytes ?? Infinity))
    return t('The file is too large. This channel allows up to {size}.', {
      size: sizeWord(capability.max_bytes ?? 0),
    });
  if (at !== null && Number.isNaN(Date.parse(at))) return t('Choose when to send the message.');
  return null;
}

/** Returns the body that sends a draft. @param mediaId of its file. @param mentions addresses */
export function toBody(
  { text, file, as, reply, at, thread = null }: Draft,
  chat: Chat,
  mediaId: string | null,
  mentions: readonly string[],
): NewMessage {
  const body = text.trim();
  const content =
    file && as
      ? {
          type: as,
          [as]: { media_id: mediaId ?? 'med_…', file_name: file.name, ...(body && { caption: body }) },
        }
      : { type: 'text' as const, text: { body } };
  return {
    instance_id: chat.instance_id,
    chat_id: chat.id,
    ...content,
    // A reply goes to the thread of the other message.
    ...(reply ? { reply_to: reply.id } : thread !== null && { thread_id: thread }),
    ...(mentions.length > 0 && { mentions: [...mentions] }),
    ...(at !== null && !Number.isNaN(Date.parse(at)) && { scheduled_at: new Date(at).toISOString() }),
  };
}

const withoutNulls = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, one]) => one !== null)
      .map(([name, one]) => [name, withoutNulls(one)]),
  );
};

/** Returns the body that sends a failed message again, or null if its content was deleted. */
export function bodyOfCopy(message: Message): NewMessage | null {
  const { type } = message;
  const content = message[type];
  if (content === null || (isMediaType(type) && message[type]?.media_id === null)) return null;
  return {
    instance_id: message.instance_id,
    chat_id: message.chat.id,
    type,
    [type]: withoutNulls(content),
    ...(message.thread_id !== null && { thread_id: message.thread_id }),
    ...(message.reply_to !== null && { reply_to: message.reply_to }),
    ...(message.mentions.length > 0 && { mentions: message.mentions }),
  };
}
