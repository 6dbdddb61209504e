/** Reads messages that were sent or edited. */
import type { Message, Update } from '@grammyjs/types';
import { isMediaType } from '../contract/capabilities.ts';
import type { ChannelData } from '../contract/channel-data.ts';
import type { ReceivedFile } from '../contract/connection.ts';
import { type Edited, type InboundMessage, type Signal, unprocessed } from '../contract/signal.ts';
import { toExternalId } from './address.ts';
import { NO_DATA, readContent, readMentions } from './content.ts';
import { discovered, groupSignal, serviceSignals } from './group-changes.ts';
import { readForwarded, readQuote } from './marks.ts';
import { readReplyTo, readSender, readThreadId } from './message-place.ts';
import { isId, readChat, type ReadChat, toInboundChat } from './people.ts';
import type { Position } from './position.ts';
import { areServicesReadable, findUnknown } from './service-messages.ts';
import { integer, object, text, time, type Untrusted } from './untrusted.ts';
import type { GivenMessage, InboundDeps, Outcome } from './update.ts';

/** Records that a group became a supergroup, which has another ID. */
function noteMigration(position: Position, message: GivenMessage, chat: ReadChat): void {
  const [to, from] = [integer(message.migrate_to_chat_id), integer(message.migrate_from_chat_id)];
  if (isId(to)) position.addMoved(chat.id, to);
  if (isId(from)) position.addMoved(from, chat.id);
}

/** Telegram reports a pinned message with a service message. It does not report that one was unpinned. */
function readPinned(message: GivenMessage, chat: ReadChat, at: Date): Signal[] {
  const number = integer(object<Message>(message.pinned_message)?.message_id);
  if (number === null || number < 1) return [];
  const externalId = toExternalId(chat.id, number);
  return [{ kind: 'pinned', externalId, isPinned: true, at, heardIn: chat.address }];
}

/** Returns the metadata of a message, with its forward origin, quote and album. */
function withMarks(
  position: Position,
  data: ChannelData | null,
  message: GivenMessage,
  externalId: string,
): ChannelData | null {
  const id = text(message.media_group_id, 64);
  const marks: Partial<ChannelData> = {
    ...readForwarded(message.forward_origin),
    ...readQuote(message.quote),
    ...(id !== null && {
      album: { id, is_first: position.isFirst(`${externalId.split('/')[0]!}/${id}`, externalId) },
    }),
  };
  return Object.keys(marks).length ? { ...NO_DATA, ...data, ...marks } : data;
}

async function receivePicture(
  { receive }: InboundDeps,
  sizes: unknown,
  signal: AbortSignal,
): Promise<ReceivedFile | null> {
  const file = readContent({ photo: sizes })?.file;
  return file ? receive(file, signal) : null;
}

/** Emits a received message, and the group changes in its service message. */
export async function onMessage(
  deps: InboundDeps,
  message: GivenMessage,
  update: Untrusted<Update>,
  signal: AbortSignal,
): Promise<Outcome> {
  const { bot, position } = deps;
  const [given, number] = [readChat(message.chat, position), integer(message.message_id)];
  if (!given || number === null || number < 1) return 'malformed';
  noteMigration(position, message, given);
  const chat = { ...given, address: String(position.toKnown(given.id)) };
  const at = time(message.date, deps.now());
  const signals = [
    ...discovered(deps, chat, at),
    ...serviceSignals(deps, message, chat, at),
    ...readPinned(message, chat, at),
  ];
  if (chat.isGroup && message.new_chat_photo !== undefined) {
    const picture = await receivePicture(deps, message.new_chat_photo, signal);
    if (picture) signals.push(groupSignal(chat, at, { about: { picture: { received: picture } } }));
  }
  const content = readContent(message);
  if (!content) {
    const unknown = findUnknown(message);
    if (unknown) return [...signals, unprocessed(unknown.reason, unknown.name, update)];
    return areServicesReadable(message) ? signals : [...signals, unprocessed('malformed', null, update)];
  }
  const sender = readSender(message, chat, position);
  const file = content.file && (await deps.receive(content.file, signal));
  const inbound: InboundMessage = {
    kind: 'message',
    externalId: toExternalId(chat.id, number),
    chat: toInboundChat(chat),
    threadId: readThreadId(message),
    from: sender.address,
    fromName: sender.name,
    fromUsername: sender.username,
    fromMe: sender.id === bot.id,
    to: chat.isGroup ? chat.address : String(bot.id),
    type: content.type,
    text: content.text,
    file: file && { received: file },
    data: content.data,
    subject: null,
    replyTo: readReplyTo(message, chat),
    mentions: readMentions(message, bot),
    automatic: sender.isBot && sender.id !== bot.id ? 'auto_generated' : null,
    channelData: withMarks(position, content.channelData, message, toExternalId(chat.id, number)),
    at,
  };
  return [...signals, inbound];
}

/** Emits an edited message. */
export async function onEdited(
  deps: InboundDeps,
  message: GivenMessage,
  _update: Untrusted<Update>,
  signal: AbortSignal,
): Promise<Outcome> {
  const [chat, number] = [readChat(message.chat, deps.position), integer(message.message_id)];
  const content = readContent(message);
  if (!chat || number === null || number < 1) return 'malformed';
  if (!content) return findUnknown(message)?.reason ?? [];
  // Places, cards and polls have no text that could change.
  if (content.data !== null) return [];
  const received = content.file && (await deps.receive(content.file, signal));
  const edited: Edited = {
    kind: 'edited',
    externalId: toExternalId(chat.id, number),
    changeId: null,
    ...(content.isPlaceholder ? {} : { text: content.text }),
    ...(received && isMediaType(content.type) ? { file: { type: content.type, received } } : {}),
    channelData: { rich_message: null, unsupported: null, ...content.channelData },
    at: time(message.edit_date, deps.now()),
    heardIn: chat.address,
  };
  return [edited];
}
