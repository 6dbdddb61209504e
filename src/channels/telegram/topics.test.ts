/** Topics are threads of their chat, from the update to the API and back to Telegram. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTelegramApp } from '../../../test/support/channels/telegram/telegram-app.ts';

let world: Awaited<ReturnType<typeof startTelegramApp>>;
beforeAll(async () => {
  world = await startTelegramApp();
});
afterAll(() => world?.stop());

const ann = { id: 555001, is_bot: false, first_name: 'Ann' };
const direct = { id: 555001, type: 'private', first_name: 'Ann' };
const forum = { id: -1_001_234_567_890, type: 'supergroup', title: 'Team', is_forum: true };
const channel = { id: -1_009_876_543_210, type: 'supergroup', title: 'News', is_direct_messages: true };
const topic = (thread: number) => ({ message_thread_id: thread, is_topic_message: true });

let next = 100;
async function write(chat: { id: number }, more: object, expected: object = {}) {
  const number = (next += 1);
  const message = { message_id: number, date: 1_795_920_000, from: ann, chat, text: 'hi', ...more };
  world.bot.push({ message });
  return world.becomes(chat.id, number, expected);
}

test('a topic of a private chat is a thread of the direct chat, and so is the answer', async () => {
  const plain = await write(direct, {});
  const message = await write(direct, { text: 'in a topic', ...topic(77) });
  expect(message).toMatchObject({
    chat: { id: plain.chat.id, kind: 'direct' },
    contact_id: plain.contact_id,
    from: '555001',
    thread_id: '77',
  });
  expect(plain.thread_id).toBeNull();
  await world.eventually(async () => {
    const { data } = await world.get('/events?type=message.received&limit=10');
    const objects = data.map((one: { data: { object: object } }) => one.data.object);
    expect(objects).toContainEqual(expect.objectContaining({ id: message.id, thread_id: '77' }));
  });
  // By its chat with the thread, by the message replied to, and by address.
  const thread = { message_thread_id: 77 };
  expect(await world.send({ chat_id: message.chat.id, thread_id: '77' })).toMatchObject(thread);
  expect(await world.send({ to: '555001', thread_id: '77' })).toMatchObject(thread);
  const answer = await world.send({ chat_id: message.chat.id, reply_to: message.id });
  expect(answer).toMatchObject({ chat_id: 555001, ...thread, reply_parameters: { message_id: next } });
  expect(await world.send({ chat_id: message.chat.id })).not.toHaveProperty('message_thread_id');
  const { data } = await world.get(`/messages?chat_id=${message.chat.id}&thread_id=77`);
  expect(data.map((one: { thread_id: string }) => one.thread_id)).toEqual(['77', '77', '77', '77']);
});

test('topics of a forum are threads of the group, and replies elsewhere are none', async () => {
  const general = await write(forum, {});
  const inTopic = await write(forum, topic(9));
  expect(inTopic).toMatchObject({ chat: { id: general.chat.id, kind: 'group' }, thread_id: '9' });
  expect(await write(forum, { message_thread_id: 5 })).toMatchObject({ thread_id: null });
  const sent = await world.send({ chat_id: inTopic.chat.id, reply_to: inTopic.id });
  expect(sent).toMatchObject({ chat_id: forum.id, message_thread_id: 9 });
});

test('a person who writes to a channel has a thread, into which answers go', async () => {
  const message = await write(channel, { direct_messages_topic: { topic_id: 555001, user: ann } });
  expect(message).toMatchObject({ thread_id: 'direct/555001', from: '555001', chat: { kind: 'group' } });
  const sent = await world.send({ chat_id: message.chat.id, reply_to: message.id });
  expect(sent).toMatchObject({ chat_id: channel.id, direct_messages_topic_id: 555001 });
  expect(sent).not.toHaveProperty('message_thread_id');
  expect(world.server.violations).toEqual([]);
});

test('a rule answers in the thread of the message', async () => {
  const rule = {
    name: 'Answer',
    events: ['message.received'],
    filter: 'event.data.object.text.body == "rule, please"',
    actions: [
      {
        type: 'send_message',
        instance_id: world.instance.id,
        to: '{{ event.data.object.from }}',
        template: 'from the rule',
      },
    ],
  };
  const made = await world.call('/rules', rule, 'POST');
  expect(made.status, JSON.stringify(made.body)).toBe(201);
  await write(direct, { text: 'rule, please', ...topic(78) });
  const sent = await world.eventually(async () => {
    const found = world.bot.calls.find(({ params }) => params['text'] === 'from the rule');
    expect(found).toBeDefined();
    return found!.params;
  });
  expect(sent).toMatchObject({ chat_id: 555001, message_thread_id: 78 });
  await world.call(`/rules/${made.body.id}`, undefined, 'DELETE');
});

test('what is no thread is refused, and so is one where a channel has none', async () => {
  const body = { type: 'text', text: { body: 'x' }, thread_id: 'a' };
  const wrong = await world.call('/messages', { ...body, instance_id: world.instance.id, to: '555001' });
  expect([wrong.status, wrong.body.errors]).toEqual([
    422,
    [{ pointer: '/thread_id', code: 'invalid_value', detail: 'is not the ID of a thread' }],
  ]);
  const { body: sandbox } = await world.call('/instances', { name: 'Sandbox', channel: 'sandbox' });
  await world.call(`/instances/${sandbox.id}/connect`, {});
  await world.eventually(async () =>
    expect(await world.get(`/instances/${sandbox.id}`)).toMatchObject({ state: 'connected' }),
  );
  const refused = await world.call('/messages', { ...body, instance_id: sandbox.id, to: 'echo' });
  expect([refused.status, refused.body.code, refused.body.errors]).toEqual([
    422,
    'unsupported_by_channel',
    [
      {
        pointer: '/thread_id',
        code: 'unsupported_by_channel',
        detail: 'the channel has no threads within chats (operations.thread_ids)',
      },
    ],
  ]);
});
