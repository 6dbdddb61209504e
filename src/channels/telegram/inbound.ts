/**
 * Converts updates to signals. What an update does not have in the expected form is left out, never guessed; an update
 * without what is needed is reported as unprocessed. Ignored on purpose: changes of places, cards and polls,
 * and what chat members and pressed buttons of others tell of the bot itself.
 */
import type {
  CallbackQuery,
  ChatMemberUpdated,
  DirectMessagesTopic,
  MessageReactionUpdated,
  Message,
  Update,
} from '@grammyjs/types';
import { isMediaType } from '../contract/capabilities.ts';
import type { ChannelData } from '../contract/channel-data.ts';
import type { ReceivedFile } from '../contract/connection.ts';
import type { Json } from '../contract/json.ts';
import {
  type Edited,
  type GroupMembership,
  type GroupParticipantChange,
  type GroupSignal,
  type InboundMessage,
  type Signal,
  type Unprocessed,
  unprocessed,
} from '../contract/signal.ts';
import { toExternalId, toThreadId } from './address.ts';
import { type FileRef, NO_DATA, readContent, readMentions } from './content.ts';
import { readForwarded, readQuote } from './marks.ts';
import { isId, readChat, type ReadChat, readMember, readUser, toInboundChat } from './people.ts';
import type { Position } from './position.ts';
import { areServicesReadable, findUnknown } from './service-messages.ts';
import { integer, list, object, text, time, type Untrusted } from './untrusted.ts';

/** Update types that are requested from Telegram. */
export const ALLOWED_UPDATES = [
  'message',
  'edited_message',
  'channel_post',
  'edited_channel_post',
  'message_reaction',
  'callback_query',
  'my_chat_member',
  'chat_member',
] as const satisfies Exclude<keyof Update, 'update_id'>[];

export interface InboundDeps {
  bot: { id: number; username: string | null };
  position: Position;
  /** Whether a group is to be reported: it is new to this connection, or its title changed. */
  isNews(key: string, title: string | null): boolean;
  /** Stores a file; null if Telegram does not give it out. @throws DriverError if it may later */
  receive(file: FileRef, signal: AbortSignal): Promise<ReceivedFile | null>;
  /** Finds the emoji of a custom emoji; null if Telegram names none. */
  findEmoji(customEmojiId: string, signal: AbortSignal): Promise<string | null>;
  /** Called for each pressed button, whose progress bar ends with the answer. */
  onCallback(id: string): void;
  now(): Date;
}

type GivenMessage = Untrusted<Message>;
/** The signals of an update, or why it gives none. */
type Outcome = Signal[] | Unprocessed['reason'];
const MAX_MEMBERS = 200;
const MAX_CALLBACK_DATA = 256;
const MAX_REACTIONS = 12;
/** Shown for paid reactions, and for custom emoji of which Telegram names no other. */
const OTHER_REACTION = '⭐';

/**
 * Returns the topic that a message is in, of a forum, a private chat or the direct messages of a channel. Elsewhere, the
 * thread of a message only says what it replies to.
 */
function readThreadId(message: GivenMessage): string | null {
  const direct = integer(object<DirectMessagesTopic>(message.direct_messages_topic)?.topic_id);
  const id = direct ?? (message.is_topic_message === true ? integer(message.message_thread_id) : null);
  return id === null || id < 1 ? null : toThreadId(id, direct !== null);
}

function readReplyTo(message: GivenMessage, chat: ReadChat): { externalId: string } | null {
  const replied = object<Message>(message.reply_to_message);
  const id = integer(replied?.message_id);
  // Each message of a topic seems to reply to the one that created it.
  if (!replied || id === null || id < 1 || replied.forum_topic_created !== undefined) return null;
  return { externalId: toExternalId(chat.id, id) };
}

/** Returns who wrote a message: a user, or the chat in whose name it was written. */
function readSender(message: GivenMessage, chat: ReadChat, position: Position) {
  // With a chat, the user is a stand-in that is marked as a bot.
  const inName = readChat(message.sender_chat, position);
  const user = inName ? null : readUser(message.from);
  if (user) return user;
  const { id, address, title, username } = inName ?? chat;
  return { id, address, name: title, username, isBot: false };
}

export function createInbound(deps: InboundDeps) {
  const { bot, position } = deps;

  const groupSignal = (chat: ReadChat, at: Date, more: Partial<GroupSignal>): GroupSignal => ({
    kind: 'group',
    key: chat.address,
    address: chat.address,
    by: null,
    at,
    ...more,
  });

  /** Changes of a group that are told by messages. */
  const serviceSignals = (message: GivenMessage, chat: ReadChat, at: Date): Signal[] => {
    if (!chat.isGroup) return [];
    const by = readUser(message.from)?.address ?? null;
    const changes: Partial<GroupSignal>[] = [];
    const joined = list(message.new_chat_members, MAX_MEMBERS).flatMap((one) => readUser(one) ?? []);
    const others = joined.filter(({ id }) => id !== bot.id);
    if (others.length)
      changes.push({
        participants: {
          changed: others.map(({ address, name }) => ({ address, role: 'member' as const, name })),
        },
      });
    const left = readUser(message.left_chat_member);
    if (left && left.id !== bot.id)
      changes.push({
        participants: {
          changed: [{ address: left.address, role: null, gone: left.address === by ? 'left' : 'removed' }],
        },
      });
    const title = text(message.new_chat_title, 255);
    if (title !== null) changes.push({ about: { subject: title } });
    if (message.delete_chat_photo === true) changes.push({ about: { picture: null } });
    return changes.map((change) => groupSignal(chat, at, { ...change, by }));
  };

  /** A group that Telegram tells of without a change of it. */
  const discovered = (chat: ReadChat, at: Date): Signal[] =>
    chat.isGroup && deps.isNews(chat.address, chat.title)
      ? [
          groupSignal(chat, at, {
            membership: 'joined',
            ...(chat.title === null ? {} : { about: { subject: chat.title } }),
          }),
        ]
      : [];

  const noteMigration = (message: GivenMessage, chat: ReadChat): void => {
    const [to, from] = [integer(message.migrate_to_chat_id), integer(message.migrate_from_chat_id)];
    if (isId(to)) position.addMoved(chat.id, to);
    if (isId(from)) position.addMoved(from, chat.id);
  };

  /** Telegram reports a pinned message with a service message. It does not report that one was unpinned. */
  const readPinned = (message: GivenMessage, chat: ReadChat, at: Date): Signal[] => {
    const number = integer(object<Message>(message.pinned_message)?.message_id);
    if (number === null || number < 1) return [];
    const externalId = toExternalId(chat.id, number);
    return [{ kind: 'pinned', externalId, isPinned: true, at, heardIn: chat.address }];
  };

  /** The metadata of a message. */
  const withMarks = (
    data: ChannelData | null,
    message: GivenMessage,
    externalId: string,
  ): ChannelData | null => {
    const id = text(message.media_group_id, 64);
    const marks: Partial<ChannelData> = {
      ...readForwarded(message.forward_origin),
      ...readQuote(message.quote),
      ...(id !== null && {
        album: { id, is_first: position.isFirst(`${externalId.split('/')[0]!}/${id}`, externalId) },
      }),
    };
    return Object.keys(marks).length ? { ...NO_DATA, ...data, ...marks } : data;
  };

  const onMessage = async (
    message: GivenMessage,
    update: Untrusted<Update>,
    signal: AbortSignal,
  ): Promise<Outcome> => {
    const [given, number] = [readChat(message.chat, position), integer(message.message_id)];
    if (!given || number === null || number < 1) return 'malformed';
    noteMigration(message, given);
    const chat = { ...given, address: String(position.toKnown(given.id)) };
    const at = time(message.date, deps.now());
    const signals = [
      ...discovered(chat, at),
      ...serviceSignals(message, chat, at),
      ...readPinned(message, chat, at),
    ];
    if (chat.isGroup && message.new_chat_photo !== undefined) {
      const picture = await receivePicture(message.new_chat_photo, signal);
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
      channelData: withMarks(content.channelData, message, toExternalId(chat.id, number)),
      at,
    };
    return [...signals, inbound];
  };

  const receivePicture = async (sizes: unknown, signal: AbortSignal): Promise<ReceivedFile | null> => {
    const file = readContent({ photo: sizes })?.file;
    return file ? deps.receive(file, signal) : null;
  };

  const onEdited = async (
    message: GivenMessage,
    _update: Untrusted<Update>,
    signal: AbortSignal,
  ): Promise<Outcome> => {
    const [chat, number] = [readChat(message.chat, position), integer(message.message_id)];
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
  };

  const readReaction = async (given: unknown, signal: AbortSignal): Promise<string> => {
    const { emoji, custom_emoji_id: custom } =
      object<{ emoji: string; custom_emoji_id: string }>(given) ?? {};
    const id = text(custom, 64);
    return text(emoji, 32) ?? (id === null ? null : await deps.findEmoji(id, signal)) ?? OTHER_REACTION;
  };

  const onReaction = async (
    update: Untrusted<MessageReactionUpdated>,
    _update: Untrusted<Update>,
    signal: AbortSignal,
  ): Promise<Outcome> => {
    const [chat, number] = [readChat(update.chat, position), integer(update.message_id)];
    const author = readUser(update.user) ?? readChat(update.actor_chat, position);
    if (!chat || number === null || number < 1 || !Array.isArray(update.new_reaction)) return 'malformed';
    if (!author) return 'no_sender';
    const emojis: string[] = [];
    for (const one of list(update.new_reaction, MAX_REACTIONS)) emojis.push(await readReaction(one, signal));
    const [emoji = null, ...others] = new Set(emojis);
    const heardIn = chat.address;
    return [
      {
        kind: 'reacted',
        externalId: toExternalId(chat.id, number),
        clientId: null,
        author: author.address,
        fromMe: author.id === bot.id,
        emoji,
        ...(others.length ? { others } : {}),
        at: time(update.date, deps.now()),
        heardIn,
      },
    ];
  };

  /** A pressed button comes as the reply that it is. */
  const onCallback = (query: Untrusted<CallbackQuery>): Outcome => {
    const [id, person, message] = [text(query.id, 100), readUser(query.from), object<Message>(query.message)];
    if (id === null) return 'malformed';
    if (!person) return 'no_sender';
    deps.onCallback(id);
    const [chat, number] = [readChat(message?.chat, position), integer(message?.message_id)];
    const choice = text(query.data, MAX_CALLBACK_DATA);
    // A game, or a message that was sent through an inline query.
    if (!message || choice === null) return 'unknown_kind';
    if (!chat || number === null) return 'malformed';
    const title = getButtonTitle(message, choice) ?? choice;
    const data: Json = { body: title, choices: [{ id: choice, title }], header: null, footer: null };
    return [
      {
        kind: 'message',
        externalId: `callback/${id}`,
        chat: toInboundChat(chat),
        threadId: readThreadId(message),
        from: person.address,
        fromName: person.name,
        fromUsername: person.username,
        fromMe: false,
        to: chat.isGroup ? chat.address : String(bot.id),
        type: 'interactive',
        text: title,
        file: null,
        data,
        subject: null,
        replyTo: { externalId: toExternalId(chat.id, number) },
        mentions: [],
        // Telegram does not say when a button was pressed.
        at: deps.now(),
      },
    ];
  };

  /** The bot's own place in a chat. */
  const onOwnMember = (update: Untrusted<ChatMemberUpdated>): Outcome => {
    const chat = readChat(update.chat, position);
    const member = readMember(update.new_chat_member);
    if (!chat || !member || member.person.id !== bot.id) return 'malformed';
    const at = time(update.date, deps.now());
    const by = readUser(update.from);
    if (!chat.isGroup)
      return [{ kind: 'reachability', address: chat.address, isReachable: member.role !== null, at }];
    const isOwnDoing = by?.id === bot.id;
    const membership: GroupMembership =
      member.role !== null ? 'joined' : isOwnDoing ? 'left' : member.gone === 'banned' ? 'banned' : 'removed';
    deps.isNews(chat.address, member.role === null ? '' : chat.title);
    const about = chat.title === null ? {} : { about: { subject: chat.title } };
    const participants =
      member.role === null
        ? {}
        : {
            participants: {
              changed: [{ address: String(bot.id), role: member.role, name: member.person.name }],
            },
          };
    return [groupSignal(chat, at, { membership, ...about, ...participants, by: by?.address ?? null })];
  };

  const onMember = (update: Untrusted<ChatMemberUpdated>): Outcome => {
    const chat = readChat(update.chat, position);
    const member = readMember(update.new_chat_member);
    if (!chat?.isGroup || !member) return 'malformed';
    // `my_chat_member` says it.
    if (member.person.id === bot.id) return [];
    const by = readUser(update.from);
    const gone: GroupParticipantChange['gone'] =
      member.gone === 'left' && by && by.id !== member.person.id ? 'removed' : member.gone;
    const { address, name } = member.person;
    const changed = { address, role: member.role, name, ...(member.role === null && gone ? { gone } : {}) };
    const at = time(update.date, deps.now());
    return [groupSignal(chat, at, { participants: { changed: [changed] }, by: by?.address ?? null })];
  };

  const HANDLERS: Record<
    (typeof ALLOWED_UPDATES)[number],
    (given: never, update: Untrusted<Update>, signal: AbortSignal) => Outcome | Promise<Outcome>
  > = {
    message: onMessage,
    channel_post: onMessage,
    edited_message: onEdited,
    edited_channel_post: onEdited,
    message_reaction: onReaction,
    callback_query: onCallback,
    my_chat_member: onOwnMember,
    chat_member: onMember,
  };

  /** @returns signals of one update. @throws DriverError if a file can't be stored now */
  return async (given: unknown, signal: AbortSignal): Promise<Signal[]> => {
    const update = object<Update>(given);
    if (!update) return [unprocessed('malformed', null, given)];
    const kind = ALLOWED_UPDATES.find((name) => update[name] !== undefined);
    if (!kind) {
      const type = Object.keys(update).find((name) => name !== 'update_id') ?? null;
      return [unprocessed('unknown_kind', type, given)];
    }
    const value = object<object>(update[kind]);
    const outcome = value ? await HANDLERS[kind](value as never, update, signal) : 'malformed';
    return typeof outcome === 'string' ? [unprocessed(outcome, kind, given)] : outcome;
  };
}

const MAX_ROWS = 100;

/** Returns the title of the button with this data. */
function getButtonTitle(message: GivenMessage, data: string): string | null {
  const markup = object<{ inline_keyboard: unknown }>(message.reply_markup);
  for (const row of list(markup?.inline_keyboard, MAX_ROWS))
    for (const one of list(row, MAX_ROWS)) {
      const button = object<{ text: string; callback_data: string }>(one);
      if (button?.callback_data === data) return text(button.text, 100);
    }
  return null;
}
