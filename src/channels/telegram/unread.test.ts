/** Tests that every update gives a signal, is stored, or is ignored on purpose. */
import { expect, test } from 'vitest';
import type { Signal } from '../contract/signal.ts';
import { createInbound } from './inbound.ts';
import { createPosition } from './position.ts';

const BOT = { id: 42, username: 'bot' };
const read = async (update: unknown): Promise<Signal[]> =>
  createInbound({
    bot: BOT,
    position: createPosition(null),
    isNews: () => false,
    receive: async () => null,
    findEmoji: async () => null,
    onCallback() {},
    now: () => new Date(),
  })(update, new AbortController().signal);
const kinds = async (update: unknown): Promise<string[]> =>
  (await read(update)).map((signal) => (signal.kind === 'unprocessed' ? signal.reason : signal.kind));

const ann = { id: 77, is_bot: false, first_name: 'Ann' };
const chat = { id: 77, type: 'private', first_name: 'Ann' };
const group = { id: -1_001_234_567_890, type: 'supergroup', title: 'Team' };
const base = { message_id: 1, date: 1_750_000_000, chat, from: ann };
const message = (more: object): object => ({ update_id: 1, message: { ...base, ...more } });

test.each<[string, unknown, string]>([
  ['no object', 7, 'malformed'],
  ['an update without content', { update_id: 1 }, 'unknown_kind'],
  ['an unknown kind', { update_id: 1, business_message: base }, 'unknown_kind'],
  ['a kind that was not asked for', { update_id: 1, poll_answer: {} }, 'unknown_kind'],
  ['a message that is none', { update_id: 1, message: 'x' }, 'malformed'],
  ['a message without a chat', message({ chat: null, text: 'x' }), 'malformed'],
  ['a message in an unknown kind of chat', message({ chat: { id: 7, type: 'planet' } }), 'malformed'],
  ['a message without an ID', message({ message_id: 'x', text: 'x' }), 'malformed'],
  ['a message without content', message({}), 'malformed'],
  ['a text that is none', message({ text: 7 }), 'malformed'],
  ['a location that is none', message({ location: {} }), 'malformed'],
  ['unknown content', message({ hologram: { depth: 3 } }), 'unknown_kind'],
  [
    'an ephemeral message, which has no ID',
    message({ message_id: 0, ephemeral_message_id: 4, receiver_user: ann, text: 'x' }),
    'malformed',
  ],
  ...['gift', 'users_shared', 'chat_shared', 'suggested_post_approved'].map(
    (name): [string, unknown, string] => [`a message with ${name}`, message({ [name]: {} }), 'unknown_kind'],
  ),
  ['a payment', message({ successful_payment: { currency: 'EUR' } }), 'unknown_kind'],
  ['members that are none', message({ chat: group, new_chat_members: 'x' }), 'malformed'],
  ['a title that is none', message({ chat: group, new_chat_title: 7 }), 'malformed'],
  ['a pin of nothing', message({ pinned_message: {} }), 'malformed'],
  ['an edit without a chat', { update_id: 1, edited_message: { text: 'x' } }, 'malformed'],
  ['an edit to unknown content', { update_id: 1, edited_message: { ...base, hologram: {} } }, 'unknown_kind'],
  ['a reaction without a chat', { update_id: 1, message_reaction: { user: ann } }, 'malformed'],
  [
    'a reaction by nobody',
    { update_id: 1, message_reaction: { chat, message_id: 1, new_reaction: [] } },
    'no_sender',
  ],
  ['a button without an ID', { update_id: 1, callback_query: { from: ann } }, 'malformed'],
  ['a button pressed by nobody', { update_id: 1, callback_query: { id: '1' } }, 'no_sender'],
  ['a game', { update_id: 1, callback_query: { id: '1', from: ann, game_short_name: 'g' } }, 'unknown_kind'],
  ['a place of its own that is none', { update_id: 1, my_chat_member: { chat } }, 'malformed'],
  [
    'an unknown status of a member',
    { update_id: 1, chat_member: { chat: group, new_chat_member: { status: 'guru', user: ann } } },
    'malformed',
  ],
])('%s is kept', async (_, update, reason) => {
  expect(await read(update)).toEqual([
    {
      kind: 'unprocessed',
      reason,
      type: expect.toSatisfy((type) => type === null || typeof type === 'string'),
      raw: update,
    },
  ]);
});

test.each<[string, unknown]>([
  [
    'an edit of what has no text',
    { update_id: 1, edited_message: { ...base, location: { latitude: 1, longitude: 2 } } },
  ],
  ['a change that nothing depends on', message({ chat: group, video_chat_started: {} })],
  [
    'one of somebody with a tag',
    message({ chat: group, sender_tag: 'Night shift', video_chat_ended: { duration: 9 } }),
  ],
  ['a group that is part of a community', message({ chat: group, community_chat_added: {} })],
  [
    "the bot's own place, told as a member's",
    {
      update_id: 1,
      chat_member: { chat: group, new_chat_member: { status: 'member', user: { id: BOT.id } } },
    },
  ],
  ['the bot that joins', message({ chat: group, new_chat_members: [{ id: BOT.id }] })],
])('%s: ignored on purpose', async (_, update) => {
  expect(await read(update)).toEqual([]);
});

test('known kinds give signals, and content without a type has its object', async () => {
  expect(await kinds(message({ text: 'Hi' }))).toEqual(['message']);
  expect(await kinds(message({ text: 'Hi', new_member_of_message: {} }))).toEqual(['message']);
  const [dice] = await read(message({ dice: { emoji: '🎲', value: 4 } }));
  expect(dice).toMatchObject({
    text: '[dice]',
    channelData: { unsupported: { type: 'dice', content: { emoji: '🎲', value: 4 } } },
  });
});
