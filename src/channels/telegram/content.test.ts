/** Tests messages that people write on Telegram, from the update to the API. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTelegramApp } from '../../../test/support/channels/telegram/telegram-app.ts';
import { readRichText } from './rich-text.ts';

let world: Awaited<ReturnType<typeof startTelegramApp>>;
beforeAll(async () => {
  world = await startTelegramApp();
});
afterAll(() => world?.stop());

const ann = { id: 555001, is_bot: false, first_name: 'Ann' };
const chat = { id: 555001, type: 'private', first_name: 'Ann' };
const message = (number: number, more: object) => ({
  message_id: number,
  date: 1_795_920_000,
  from: ann,
  chat,
  ...more,
});
const edited = (number: number, more: object) => ({ ...message(number, more), edit_date: 1_795_920_009 });
const becomes = (number: number, expected?: object) => world.becomes(chat.id, number, expected);

const RICH = {
  blocks: [
    { type: 'heading', size: 1, text: 'Order problem' },
    { type: 'paragraph', text: [{ type: 'bold', text: 'Order 4711' }, ' has not arrived.'] },
  ],
};

test('the text of a rich message is its text, and its blocks are kept', async () => {
  world.bot.push({ message: message(11, { rich_message: RICH }) });
  expect(await becomes(11)).toMatchObject({
    type: 'text',
    text: { body: 'Order problem\nOrder 4711 has not arrived.' },
    channel_data: { rich_message: RICH },
  });
});

test('an edit to a rich message replaces the text, and the blocks go when it becomes plain', async () => {
  world.bot.push({ message: message(12, { text: 'before' }) });
  world.bot.push({ edited_message: edited(12, { rich_message: RICH }) });
  const text = { body: 'Order problem\nOrder 4711 has not arrived.' };
  await becomes(12, { text, channel_data: { rich_message: RICH } });
  world.bot.push({ edited_message: edited(12, { text: 'after' }) });
  expect(await becomes(12, { text: { body: 'after' } })).toMatchObject({ channel_data: null });
});

test.each([
  ['a rich message without text', 13, { rich_message: { blocks: [{ type: 'divider' }] } }, 'rich_message'],
  ['unknown content', 14, { checklist: { title: 'Tea', tasks: [] } }, 'checklist'],
])('an edit to %s leaves what was written', async (_, number, content, name) => {
  world.bot.push({ message: message(number, { text: 'written by Ann' }) });
  world.bot.push({ edited_message: edited(number, content) });
  const kept =
    name === 'rich_message' ? content : { unsupported: { type: name, content: Object.values(content)[0] } };
  const after = await becomes(number, { channel_data: kept });
  expect(after.text).toEqual({ body: 'written by Ann' });
});

test.each<[string, object[], string]>([
  [
    'lists, checkboxes and quotations',
    [
      {
        type: 'list',
        items: [
          { label: '1.', blocks: [{ type: 'paragraph', text: 'Tea' }] },
          { label: '•', has_checkbox: true, is_checked: true, blocks: [{ type: 'paragraph', text: 'Milk' }] },
        ],
      },
      { type: 'blockquote', blocks: [{ type: 'paragraph', text: 'Quoted' }], credit: 'Bob' },
    ],
    '1. Tea\n• [x] Milk\nQuoted\nBob',
  ],
  [
    'tables and captions',
    [
      {
        type: 'table',
        cells: [
          [{ text: 'A' }, { text: 'B' }],
          [{ text: '1' }, {}],
        ],
        caption: 'Prices',
      },
      { type: 'photo', photo: [], caption: { text: 'A cat', credit: 'Ann' } },
    ],
    'A\tB\n1\t\nPrices\nA cat\nAnn',
  ],
  [
    'details, formulas, emoji and links',
    [
      {
        type: 'details',
        summary: 'More',
        blocks: [{ type: 'mathematical_expression', expression: 'x^2' }],
      },
      {
        type: 'paragraph',
        text: [
          { type: 'custom_emoji', custom_emoji_id: '1', alternative_text: '🎉' },
          { type: 'url', text: ' here', url: 'https://example.com/' },
        ],
      },
    ],
    'More\nx^2\n🎉 here (https://example.com/)',
  ],
  ['kinds that are not known', [{ type: 'banner', text: { type: 'neon', text: 'Sale' } }], 'Sale'],
])('%s give their text', (_, blocks, text) => {
  expect(readRichText({ blocks }, 1000).text).toBe(text);
});

test('rich messages are read up to a bound, however they are nested', () => {
  let nested: object = { type: 'paragraph', text: 'deep' };
  for (let level = 0; level < 5000; level++) nested = { type: 'blockquote', blocks: [nested] };
  expect(readRichText({ blocks: [nested] }, 1000).text).toBe('');
  const blocks = [{ type: 'paragraph', text: 'ab' }, { text: 'cd' }, { text: 'ef' }];
  expect(readRichText({ blocks }, 3).text).toBe('ab\n');
});

describe('an edit of a file', () => {
  const photo = (bytes: string, unique: string) => [
    {
      file_id: world.server.addFile(Buffer.from(bytes)),
      file_unique_id: unique,
      width: 90,
      height: 90,
      file_size: 20,
    },
  ];
  const getContent = ({ image, video }: Record<'image' | 'video', { media_id: string } | null>) =>
    world.download((image ?? video)!.media_id);

  test('replaces the file, and the caption goes', async () => {
    world.bot.push({ message: message(8102, { photo: photo('old', 'l1'), caption: 'our cat' }) });
    const before = await becomes(8102, { image: { caption: 'our cat' } });
    const edit = edited(8102, { photo: photo('new', 'l2') });
    world.bot.push({ edited_message: edit });
    const after = await becomes(8102, { image: { caption: null } });
    expect(await getContent(after)).toBe('new');
    // Nothing refers to the old file any more.
    expect(await world.call(`/media/${before.image.media_id}`)).toHaveStatus(404);
    // Once more, or with another caption, the file is the same.
    world.bot.push({ edited_message: { ...edit, caption: 'a dog' } });
    const again = await becomes(8102, { image: { caption: 'a dog' } });
    expect(again.image.media_id).toBe(after.image.media_id);
  });

  test('can make it another type, also of a text', async () => {
    world.bot.push({ message: message(8103, { text: 'a text' }) });
    await becomes(8103);
    const video = { ...photo('moves', 'l3')[0], mime_type: 'video/mp4' };
    world.bot.push({ edited_message: edited(8103, { video, caption: 'and a film' }) });
    const after = await becomes(8103, { type: 'video', text: null, video: { caption: 'and a film' } });
    expect(await getContent(after)).toBe('moves');
  });
});
