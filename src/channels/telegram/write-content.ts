/** Converts the content of a message to the method that sends it. */
import type { MessageEntity } from '@grammyjs/types';
import type { OutboundFile, OutboundMessage } from '../contract/connection.ts';
import { DriverError } from '../contract/driver-error.ts';
import type { Method } from './bot-api.ts';

/** Parameters beyond those that all messages have. */
export type Written =
  | { method: Method; params: Record<string, unknown>; file: null }
  | { method: Method; params: Record<string, unknown>; file: OutboundFile; field: string };

const MAX_PHOTO = 10_000_000;
const MAX_CALLBACK_BYTES = 64;
const PHOTOS = new Set(['image/jpeg', 'image/png', 'image/webp']);
const AUDIO = new Set(['audio/mpeg', 'audio/mp3', 'audio/mp4', 'audio/x-m4a', 'audio/m4a']);
const VOICE = new Set([...AUDIO, 'audio/ogg', 'audio/opus']);
/** Carries a mention that is not in the text; not shown. */
const INVISIBLE = '\u2063';

const reject = (code: string, detail: string): never => {
  throw new DriverError('rejected', code, detail);
};

type Mention = Pick<MessageEntity.TextMentionMessageEntity, 'type' | 'offset' | 'length' | 'user'>;

/** Marks each `@<address>` in the text as a mention; others are mentioned in front of it, invisibly. */
function writeMentions(
  text: string,
  mentions: readonly string[],
): { text: string; entities: Mention[] | undefined } {
  const mention = (address: string, offset: number, length: number): Mention => ({
    type: 'text_mention',
    offset,
    length,
    user: { id: Number(address), is_bot: false, first_name: address },
  });
  const missing = mentions.filter((address) => !text.includes(`@${address}`));
  const prefix = INVISIBLE.repeat(missing.length);
  const entities = [
    ...missing.map((address, nth) => mention(address, nth, 1)),
    ...mentions.flatMap((address) => {
      const at = text.indexOf(`@${address}`);
      return at < 0 ? [] : [mention(address, prefix.length + at, address.length + 1)];
    }),
  ];
  return { text: prefix + text, entities: entities.length ? entities : undefined };
}

/** Returns the method and field for a file. Files that Telegram can't show as their type are sent as documents. */
function getFileMethod({ type, mimeType, size }: OutboundFile, asDocument: boolean): [Method, string] {
  const document: [Method, string] = ['sendDocument', 'document'];
  if (asDocument) return document;
  switch (type) {
    case 'image':
      if (mimeType === 'image/gif') return ['sendAnimation', 'animation'];
      return PHOTOS.has(mimeType) && size <= MAX_PHOTO ? ['sendPhoto', 'photo'] : document;
    case 'video':
      return mimeType === 'video/mp4' ? ['sendVideo', 'video'] : document;
    case 'audio':
      return AUDIO.has(mimeType) ? ['sendAudio', 'audio'] : document;
    case 'voice':
      return VOICE.has(mimeType) ? ['sendVoice', 'voice'] : document;
    case 'sticker':
      return ['sendSticker', 'sticker'];
    default:
      return document;
  }
}

interface LocationData {
  latitude: number;
  longitude: number;
  name: string | null;
  address: string | null;
}
interface Card {
  name: string;
  phones: string[] | null;
}
interface PollData {
  question: string;
  options: string[];
  multiple: boolean | null;
}
interface InteractiveData {
  body: string;
  choices: { id: string; title: string }[];
  header: string | null;
  footer: string | null;
}

function writeLocation({ latitude, longitude, name, address }: LocationData): Written {
  const point = { latitude, longitude };
  if (name === null && address === null) return { method: 'sendLocation', params: point, file: null };
  const params = { ...point, title: name ?? address, address: address ?? `${latitude}, ${longitude}` };
  return { method: 'sendVenue', params, file: null };
}

function writeContact(cards: readonly Card[]): Written {
  const [card] = cards;
  const phone = card?.phones?.[0];
  if (!card || cards.length > 1)
    return reject('too_many_contacts', 'A message can contain only one contact card on Telegram.');
  if (phone === undefined)
    return reject('phone_required', 'Telegram requires a phone number in a contact card.');
  return { method: 'sendContact', params: { phone_number: phone, first_name: card.name }, file: null };
}

function writeInteractive({ body, choices, header, footer }: InteractiveData): Written {
  for (const { id } of choices)
    if (Buffer.byteLength(id) > MAX_CALLBACK_BYTES)
      return reject(
        'choice_id_too_long',
        `The ID of a choice must have at most ${MAX_CALLBACK_BYTES} bytes on Telegram.`,
      );
  const params = {
    text: [header, body, footer].filter((part) => part !== null).join('\n\n'),
    reply_markup: { inline_keyboard: choices.map(({ id, title }) => [{ text: title, callback_data: id }]) },
  };
  return { method: 'sendMessage', params, file: null };
}

/**
 * @param asDocument sends a file as a document, regardless of its type
 * @throws DriverError rejected
 */
export function writeContent({ type, content, mentions }: OutboundMessage, asDocument = false): Written {
  const { text, file, data } = content;
  if (file) {
    const [method, field] = getFileMethod(file, asDocument);
    const caption = text === null ? null : writeMentions(text, mentions);
    const params = caption ? { caption: caption.text, caption_entities: caption.entities } : {};
    return { method, params, file, field };
  }
  switch (type) {
    case 'text':
      return { method: 'sendMessage', params: writeMentions(text ?? '', mentions), file: null };
    case 'location':
      return writeLocation(data as unknown as LocationData);
    case 'contacts':
      return writeContact(data as unknown as Card[]);
    case 'poll': {
      const { question, options, multiple } = data as unknown as PollData;
      const params = {
        question,
        options: options.map((option) => ({ text: option })),
        is_anonymous: false,
        allows_multiple_answers: multiple === true,
      };
      return { method: 'sendPoll', params, file: null };
    }
    case 'interactive':
      return writeInteractive(data as unknown as InteractiveData);
    default:
      return reject('unsupported_type', `Telegram does not support messages of type ${type}.`);
  }
}
