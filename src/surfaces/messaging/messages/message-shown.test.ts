/** Whatever a channel sent, or an earlier version stored, every read of it answers 200, and so does every list that has it. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { toUuid } from '../../../platform/http/ids.ts';
import { type MessagesWorld, startMessages } from '../../../../test/support/messaging/messages.ts';

let world: MessagesWorld;
let instance: string;
beforeAll(async () => {
  world = await startMessages();
  instance = await world.instance();
});
afterAll(() => world.app.stop());

const LONG = 'x'.repeat(70_000);
const file = { media_id: null, caption: '', file_name: '' };

test.each([
  ['text', { body: '' }],
  ['text', { body: LONG }],
  ['text', { body: ' \n' }],
  ['image', { ...file }],
  ['document', { ...file, caption: LONG, file_name: LONG }],
  ['location', { latitude: 91.5, longitude: -200, name: '', address: LONG }],
  ['contacts', []],
  ['contacts', [{ name: '', phones: [''], emails: [LONG], organization: '' }]],
  ['poll', { question: '', options: [], multiple: null }],
  ['poll', { question: LONG, options: ['same', 'same', ''], multiple: true }],
  [
    'template',
    { name: '', language: LONG, parameters: Array.from({ length: 60 }, () => LONG.slice(0, 2_000)) },
  ],
  ['interactive', { body: '', choices: [], header: '', footer: LONG }],
  ['interactive', { body: 'x', choices: [{ id: '', title: LONG }], header: null, footer: null }],
  [
    'event',
    { name: '', start_at: '2026-01-15T09:30:00.000Z', end_at: null, location: '', description: LONG },
  ],
])('%s beyond the limits of what may be sent', async (type, content) => {
  const { id, chat } = await world.send(instance, { to: 'odd' });
  await world.app.database.pool.query(
    `update messages set direction = 'inbound', source = 'channel', type = $2, content = $3, status = 'received' where id = $1`,
    [toUuid('message', id), type, JSON.stringify(content)],
  );
  const one = await world.call(`/messages/${id}`);
  expect(one, JSON.stringify(one.body).slice(0, 500)).toMatchObject({ status: 200 });
  expect(one.body[type]).toEqual(content);
  for (const path of ['/messages', `/chats/${chat.id}/messages`, '/messages?direction=inbound']) {
    const list = await world.call(path);
    expect(list.status, JSON.stringify(list.body).slice(0, 500)).toBe(200);
    expect(list.body.data.find((message: { id: string }) => message.id === id)[type]).toEqual(content);
  }
  const read = await world.call(`/messages/${id}/read`, {});
  expect(read.status, JSON.stringify(read.body).slice(0, 500)).toBeLessThan(300);
});
