/** Reads changes of groups: the bot's own membership, other members, and service messages. */
import type { ChatMemberUpdated } from '@grammyjs/types';
import type { GroupMembership, GroupParticipantChange, GroupSignal, Signal } from '../contract/signal.ts';
import { type ReadChat, readChat, readMember, readUser } from './people.ts';
import { list, text, time, type Untrusted } from './untrusted.ts';
import type { GivenMessage, InboundDeps, Outcome } from './update.ts';

const MAX_MEMBERS = 200;

export const groupSignal = (chat: ReadChat, at: Date, more: Partial<GroupSignal>): GroupSignal => ({
  kind: 'group',
  key: chat.address,
  address: chat.address,
  by: null,
  at,
  ...more,
});

/** Returns the signals of group changes in service messages. */
export function serviceSignals(
  { bot }: InboundDeps,
  message: GivenMessage,
  chat: ReadChat,
  at: Date,
): Signal[] {
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
}

/** Returns the signal for a group that Telegram mentions without a change. */
export const discovered = ({ isNews }: InboundDeps, chat: ReadChat, at: Date): Signal[] =>
  chat.isGroup && isNews(chat.address, chat.title)
    ? [
        groupSignal(chat, at, {
          membership: 'joined',
          ...(chat.title === null ? {} : { about: { subject: chat.title } }),
        }),
      ]
    : [];

/** The bot's own place in a chat. */
export function onOwnMember(
  { bot, position, isNews, now }: InboundDeps,
  update: Untrusted<ChatMemberUpdated>,
): Outcome {
  const chat = readChat(update.chat, position);
  const member = readMember(update.new_chat_member);
  if (!chat || !member || member.person.id !== bot.id) return 'malformed';
  const at = time(update.date, now());
  const by = readUser(update.from);
  if (!chat.isGroup)
    return [{ kind: 'reachability', address: chat.address, isReachable: member.role !== null, at }];
  const isOwnDoing = by?.id === bot.id;
  const membership: GroupMembership =
    member.role !== null ? 'joined' : isOwnDoing ? 'left' : member.gone === 'banned' ? 'banned' : 'removed';
  isNews(chat.address, member.role === null ? '' : chat.title);
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
}

/** Another member of a group. */
export function onMember({ bot, position, now }: InboundDeps, update: Untrusted<ChatMemberUpdated>): Outcome {
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
  const at = time(update.date, now());
  return [groupSignal(chat, at, { participants: { changed: [changed] }, by: by?.address ?? null })];
}
