/** What is about to be sent, and what the channel lets it be. */
import type { NewMessage } from '../../api/messages.ts';
import type { Capabilities, Chat, Instance, Message } from '../../api/types.ts';
import { isMediaType, MEDIA_TYPES, type MediaType, sizeWord, typeWord } from './chat-text.ts';

export type Operation = Capabilities['operations'][number];

export const can = (instance: Instance | undefined, operation: Operation): boolean =>
  instance?.capabilities.operations.includes(operation) ?? false;

/** States in which the API refuses to queue anything. */
const REFUSING: readonly Instance['state'][] = ['created', 'disconnected', 'failed'];
export const takesMessages = ({ state }: Instance): boolean => !REFUSING.includes(state);

const fits = (mimeTypes: readonly string[] | null | undefined, mimeType: string): boolean =>
  !mimeTypes ||
  mimeTypes.some((one) => (one.endsWith('/*') ? mimeType.startsWith(one.slice(0, -1)) : one === mimeType));

/** By its type as the browser knows it; the server looks at the bytes. */
const NATURAL: Record<string, MediaType> = { image: 'image', video: 'video', audio: 'audio' };

/** What a file can be sent as, the best first; none where the channel takes no such file. */
export function sendableAs(
  { types }: Capabilities,
  { type, size }: { type: string; size: number },
): MediaType[] {
  const natural = NATURAL[type.split('/')[0] ?? ''];
  const found = MEDIA_TYPES.filter((one) => {
    const capability = types[one];
    if (!capability || !fits(capability.mime_types, type)) return false;
    // A capability that takes any file is one for documents.
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
  /** As a `datetime-local` field has it; null for at once. */
  at: string | null;
}

export const EMPTY: Draft = { text: '', file: null, as: null, reply: null, at: null };

/** Why it can't be sent as it is; null where it can. */
export function faultOfDraft({ text, file, as, at }: Draft, { types }: Capabilities): string | null {
  const capability = types[as ?? 'text'];
  if (!capability) return `The channel takes no ${typeWord(as ?? 'text').toLowerCase()}.`;
  // As the API counts: code points.
  const { length } = Array.from(text.trim());
  if (file && length > 0 && capability.max_text === null)
    return `The channel takes no text with a ${typeWord(as ?? 'document').toLowerCase()}.`;
  if (capability.max_text !== null && length > capability.max_text)
    return `The channel takes at most ${capability.max_text} characters; these are ${length}.`;
  if (file && file.size > (capability.max_bytes ?? Infinity))
    return `The channel takes at most ${sizeWord(capability.max_bytes ?? 0)}.`;
  if (at !== null && Number.isNaN(Date.parse(at))) return 'Say when it is to be sent.';
  return null;
}

/** The call that sends it. @param mediaId of its file, where it has one. @param mentions addresses */
export function bodyOf(
  { text, file, as, reply, at }: Draft,
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
    ...(reply && { reply_to: reply.id }),
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

/** The same message once more, for one that failed; null where its content is gone. */
export function bodyOfCopy(message: Message): NewMessage | null {
  const { type } = message;
  const content = message[type];
  if (content === null || (isMediaType(type) && message[type]?.media_id === null)) return null;
  return {
    instance_id: message.instance_id,
    chat_id: message.chat.id,
    type,
    [type]: withoutNulls(content),
    ...(message.reply_to !== null && { reply_to: message.reply_to }),
    ...(message.mentions.length > 0 && { mentions: message.mentions }),
  };
}
