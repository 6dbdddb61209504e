/** Tests the metadata of messages besides their content, from the update to the API. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTelegramApp } from '../../../test/support/channels/telegram/telegram-app.ts';
import { readVcard } from './vcard.ts';

let world: Awaited<ReturnType<typeof startTelegramApp>>;
beforeAll(async () => {
  world = await startTelegramApp();
});
afterAll(() => world?.stop());

const ann = { id: 555002, is_bot: false, first_name: 'Ann', last_name: 'Lee', username: 'annlee' };
const chat = { id: 555002, type: 'private', first_name: 'Ann', last_name: 'Lee', username: 'annlee' };
const group = { id: -1_001_234_567_999, type: 'supergroup', title: 'Team' };
let number = 0;
async function receive(more: object, where: { id: number } = chat) {
  number += 1;
  world.bot.push({
    message: { message_id: number, date: 1_795_920_000, from: ann, chat: where, ...more },
  });
  return world.becomes(where.id, number);
}

test('the writer has the username', async () => {
  const { contact_id: id } = await receive({ text: 'Hi' });
  expect((await world.call(`/contacts/${id}`)).body).toMatchObject({ username: 'annlee' });
});

test.each([
  ['a user', { type: 'user', date: 1, sender_user: { id: 7, is_bot: false, first_name: 'Bo' } }, 'Bo'],
  ['a user who hides the account', { type: 'hidden_user', date: 1, sender_user_name: 'Cy' }, 'Cy'],
  ['a chat', { type: 'chat', date: 1, sender_chat: { id: -5, type: 'group', title: 'News' } }, 'News'],
  [
    'a channel',
    { type: 'channel', date: 1, chat: { id: -1_007, type: 'channel', title: 'Offers' }, message_id: 3 },
    'Offers',
  ],
  ['an origin of a kind that is new', { type: 'planet', date: 1 }, null],
])('a message that is forwarded from %s says so', async (_, origin, author) => {
  const received = await receive({ text: 'See this', forward_origin: origin });
  expect(received.channel_data).toMatchObject({ forwarded: { frequently: false, author } });
});

test('what the writer quotes of the other message is kept', async () => {
  const original = { message_id: 900, date: 1_795_910_000, chat, text: 'The red one, or the blue one?' };
  const received = await receive({
    text: 'This',
    reply_to_message: original,
    quote: { text: 'the blue one', position: 16, is_manual: true },
  });
  expect(received.channel_data).toMatchObject({ quote: 'the blue one', forwarded: null });
});

test('the marks of an album and of what is forwarded are kept together', async () => {
  const received = await receive({
    photo: [{ file_id: 'none', file_unique_id: 'u', width: 1, height: 1, file_size: 100_000_000 }],
    media_group_id: '13824583915208474',
    forward_origin: { type: 'hidden_user', date: 1, sender_user_name: 'Cy' },
  });
  expect(received.channel_data).toMatchObject({
    album: { id: '13824583915208474', is_first: true },
    forwarded: { frequently: false, author: 'Cy' },
  });
});

test('what another bot writes is automatic, but not what people write in the name of a chat', async () => {
  const bot = { id: 99, is_bot: true, first_name: 'Helper', username: 'helper_bot' };
  expect(await receive({ from: bot, text: 'Beep' }, group)).toMatchObject({ automatic: 'auto_generated' });
  const anonymous = { id: 1_087_968_824, is_bot: true, first_name: 'Group', username: 'GroupAnonymousBot' };
  expect(await receive({ from: anonymous, sender_chat: group, text: 'Hi' }, group)).toMatchObject({
    automatic: null,
  });
  expect(await receive({ text: 'Hi' }, group)).toMatchObject({ automatic: null });
});

test('the caption of paid media is the text', async () => {
  const media = { star_count: 5, paid_media: [{ type: 'preview', width: 10, height: 10 }] };
  expect(await receive({ paid_media: media, caption: 'The full tour' })).toMatchObject({
    text: { body: 'The full tour' },
    channel_data: { unsupported: { type: 'paid_media', content: media } },
  });
  expect(await receive({ paid_media: media })).toMatchObject({ text: { body: '[paid media]' } });
});

const CARD = [
  'BEGIN:VCARD',
  'VERSION:3.0',
  'N:Lee;Bo;;;',
  'FN:Bo Lee',
  'TEL;TYPE=CELL:+1 650 555-1234',
  'item1.TEL;TYPE=WORK:+1 650 555 9999',
  'EMAIL;TYPE=INTERNET:bo.lee@',
  ' example.com',
  String.raw`ORG:Lee\, Sons;Sales`,
  'END:VCARD',
].join('\r\n');

test('the addresses and the organization of a shared contact are kept', async () => {
  const contact = { phone_number: '16505551234', first_name: 'Bo', last_name: 'Lee', vcard: CARD };
  expect(await receive({ contact })).toMatchObject({
    type: 'contacts',
    contacts: [
      {
        name: 'Bo Lee',
        phones: ['+16505551234', '+1 650 555 9999'],
        emails: ['bo.lee@example.com'],
        organization: 'Lee, Sons',
      },
    ],
  });
});

test.each([
  ['nothing', ''],
  ['no card', 'hologram: yes'],
  ['values that are empty', 'EMAIL:\nORG:;Sales\nTEL:'],
])('a card that has %s', (_, card) => {
  expect(readVcard(card)).toEqual({ phones: [], emails: [], organization: null });
});
