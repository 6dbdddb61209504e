/**
 * Tests that every read and list of a message responds with 200, regardless of what a channel sent or an earlier
 * version stored.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MESSAGE_TYPES } from '../../../channels/contract/capabilities.ts';
import { storableJson, storableText } from '../../../platform/db/storable-text.ts';
import { toUuid } from '../../../core/vocabulary/ids.ts';
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

test('whatever came from outside into its columns, every message is in every list', async () => {
  const ids: string[] = [];
  for (let index = 0; index < 30; index++) ids.push((await world.send(instance, { to: 'any' })).id);
  const uuids = ids.map((id) => toUuid('message', id));
  const text = fc.string({ unit: 'binary' }).map(storableText);
  const json = fc.jsonValue().map((value) => storableJson(JSON.stringify(value)));
  const named = json.map(
    (value) => `{"body":${value},"question":${value},"options":[${value}],"name":${value}}`,
  );
  const rows = fc.array(
    fc.record({
      type: fc.constantFrom(...MESSAGE_TYPES),
      content: fc.oneof(json, named),
      subject: fc.option(text),
      sender: fc.option(text),
      mention: text,
      code: fc.option(text),
    }),
    { minLength: uuids.length, maxLength: uuids.length },
  );
  await fc.assert(
    fc.asyncProperty(rows, async (all) => {
      await world.app.database.pool.query(
        `update messages set direction = 'inbound', source = 'channel', status = 'received', type = odd.type,
           content = odd.content::jsonb, subject = odd.subject, from_address = odd.sender, mentions = array[odd.mention],
           error_code = odd.code, error_detail = odd.code
         from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[])
           as odd (id, type, content, subject, sender, mention, code)
         where messages.id = odd.id`,
        [
          uuids,
          ...(['type', 'content', 'subject', 'sender', 'mention', 'code'] as const).map((name) =>
            all.map((row) => row[name]),
          ),
        ],
      );
      const list = await world.call('/messages?limit=100');
      expect(list.status, JSON.stringify(list.body).slice(0, 500)).toBe(200);
      const shown = list.body.data.map(({ id }: { id: string }) => id);
      expect(ids.filter((id) => !shown.includes(id))).toEqual([]);
      const one = await world.call(`/messages/${ids[0]}`);
      expect(one.status, JSON.stringify(one.body).slice(0, 500)).toBe(200);
    }),
    { numRuns: 30 },
  );
});
