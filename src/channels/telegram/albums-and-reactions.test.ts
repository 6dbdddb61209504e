/** Albums and reactions, from the update to the API. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTelegramApp } from '../../../test/support/channels/telegram/telegram-app.ts';
import { createPosition } from './position.ts';

let world: Awaited<ReturnType<typeof startTelegramApp>>;
beforeAll(async () => {
  world = await startTelegramApp();
});
afterAll(() => world?.stop());

const ann = { id: 555001, is_bot: false, first_name: 'Ann' };
const chat = { id: 555001, type: 'private', first_name: 'Ann' };
const base = { date: 1_795_920_000, from: ann, chat };

test('the files of an album are marked, so that a rule answers it once', async () => {
  const rule = {
    name: 'Thanks',
    events: ['message.received'],
    filter: 'event.data.object.channel_data.album.is_first != false',
    actions: [
      {
        type: 'send_message',
        instance_id: world.instance.id,
        chat_id: '',
        template: 'thanks for {{ event.data.object.image.caption }}',
      },
    ],
  };
  world.bot.push({ message: { ...base, message_id: 1, text: 'before' } });
  rule.actions[0]!.chat_id = (await world.becomes(chat.id, 1)).chat.id;
  expect(await world.call('/rules', rule, 'POST')).toHaveStatus(201);
  const photo = () => [{ file_id: world.server.addFile(Buffer.from('x')), width: 1, height: 1 }];
  const album = { ...base, media_group_id: '1382' };
  world.bot.push({ message: { ...album, message_id: 2, photo: photo(), caption: 'the album' } });
  world.bot.push({ message: { ...album, message_id: 3, photo: photo(), caption: 'its second' } });
  world.bot.push({ message: { ...base, message_id: 4, photo: photo(), caption: 'one alone' } });
  const mark = (isFirst: boolean) => ({ channel_data: { album: { id: '1382', is_first: isFirst } } });
  await world.becomes(chat.id, 2, mark(true));
  await world.becomes(chat.id, 3, mark(false));
  await world.becomes(chat.id, 4, { channel_data: null });
  const answers = () =>
    world.bot.calls.flatMap(
      ({ params }) => (params['text'] as string | undefined)?.match(/^thanks for .*/)?.[0] ?? [],
    );
  const areAnswered = () =>
    expect(answers().toSorted()).toEqual(['thanks for one alone', 'thanks for the album']);
  // Runs of two messages end in any order.
  await world.eventually(async () => areAnswered());
  // An edit keeps the mark, and an edit without changes is not an edit.
  const edit = { ...album, edit_date: 1_795_920_009, message_id: 3 };
  world.bot.push({ edited_message: { ...edit, photo: photo(), caption: 'its second' } });
  world.bot.push({ edited_message: { ...edit, photo: photo(), caption: 'edited' } });
  const { id } = await world.becomes(chat.id, 3, { image: { caption: 'edited' }, ...mark(false) });
  await world.eventually(async () =>
    expect((await world.call(`/events?type=message.edited&resource_id=${id}`)).body.data).toHaveLength(1),
  );
  areAnswered();
});

test('which message was the first of an album stays known, also to the next connection', () => {
  const position = createPosition(null);
  expect([position.isFirst('a', '1'), position.isFirst('a', '2')]).toEqual([true, false]);
  const reopened = createPosition(position.toJson(5));
  expect([reopened.isFirst('a', '2'), reopened.isFirst('a', '1')]).toEqual([false, true]);
  for (let nth = 0; nth < 1000; nth++) reopened.isFirst(`album ${nth}`, '3');
  expect(JSON.stringify(reopened.toJson(5)).length).toBeLessThan(2000);
});

test('several reactions of one person and custom emoji are told, and taken back', async () => {
  world.bot.push({ message: { ...base, message_id: 20, text: 'react to me' } });
  await world.becomes(chat.id, 20);
  const sticker = { file_id: 'f', type: 'custom_emoji', emoji: '🎉' };
  world.bot.answerWith('getCustomEmojiStickers', { status: 200, body: { ok: true, result: [sticker] } });
  const react = (...reactions: object[]) =>
    world.bot.push({
      message_reaction: { ...base, user: ann, message_id: 20, old_reaction: [], new_reaction: reactions },
    });
  const emoji = (one: string) => ({ type: 'emoji', emoji: one });
  const custom = { type: 'custom_emoji', custom_emoji_id: '5368324170671202286' };
  const shown = async (...emojis: string[]) =>
    world.eventually(async () => {
      const { reactions } = await world.becomes(chat.id, 20);
      expect(reactions.map((one: { emoji: string; from: string }) => [one.emoji, one.from])).toEqual(
        emojis.map((one) => [one, '555001']),
      );
    });
  react(emoji('👍'), emoji('❤'), custom);
  await shown('👍', '❤', '🎉');
  react(emoji('👍'), custom);
  await shown('👍', '🎉');
  // Of one that Telegram does not find, something is shown.
  react({ ...custom, custom_emoji_id: '1' });
  await shown('⭐');
  react();
  await shown();
  const asked = world.bot.calls.filter(({ method }) => method === 'getCustomEmojiStickers');
  expect(asked.map(({ params }) => params['custom_emoji_ids'])).toEqual([[custom.custom_emoji_id], ['1']]);
  expect(world.server.violations).toEqual([]);
});
