/** Tests signals in and about groups: who wrote a message, and which signals of one member count. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/db.ts';
import { publicId } from '../../../core/vocabulary/ids.ts';
import {
  createWorld,
  getHolding,
  type ScriptedHolding,
  sent,
  type World,
} from '../../../../test/support/messaging/queue.ts';
import { heard, receipt, startInbound } from '../../../../test/support/messaging/inbound.ts';

let database: TestDatabase;
let world: World;
let instanceId: string;
let held: ScriptedHolding;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  world = await createWorld(database.db);
  instanceId = await world.addInstance();
  held = getHolding(world, instanceId, await world.take(instanceId), { send: () => sent() });
});

const query = async (text: string) => (await database.pool.query(text, [instanceId])).rows;
const messages = () => query('select * from messages where instance_id = $1 order by sequence');
const club = { kind: 'group', key: 'club', address: 'club', title: 'Club' } as const;
const fromUs = { chat: club, fromMe: true, from: 'me' };

test("one member's receipts do not make a message delivered or read for all; the channel's word for all does", async () => {
  const inbound = startInbound(world);
  await inbound.apply(held, [heard('x1', fromUs), heard('x2', fromUs)], undefined);
  const member = { upTo: true };
  await inbound.apply(
    held,
    [receipt({ externalId: 'x2' }, 'delivered', member), receipt({ externalId: 'x2' }, 'read', member)],
    undefined,
  );
  expect((await messages()).map(({ status }) => status)).toEqual(['sent', 'sent']);
  await inbound.apply(held, [receipt({ externalId: 'x1' }, 'delivered', { ofAll: true })], undefined);
  await inbound.apply(held, [receipt({ externalId: 'x2' }, 'read', { ofAll: true, upTo: true })], undefined);
  expect((await messages()).map(({ status }) => status)).toEqual(['read', 'read']);
});

test("one member's receipt shows that the channel has the message, and nothing more", async () => {
  const inbound = startInbound(world);
  const [chatId] = await world.addChats(instanceId, ['club']);
  await database.pool.query(`update chats set kind = 'group' where id = $1`, [chatId]);
  const [id] = await world.queue(instanceId, [{ chatId: chatId!, text: 'ours' }]);
  await inbound.apply(held, [receipt({ id: id! }, 'read')], undefined);
  expect(await world.message(id!)).toMatchObject({
    status: 'sent',
    history: ['queued', 'sent'],
    read_at: null,
  });
  expect(await world.rows(instanceId)).toEqual([]);
  expect((await world.events()).map(({ type }) => type)).toEqual(['message.sent']);
});

test('a message received in a group is read when the account has read it elsewhere; a failed one stays failed', async () => {
  const inbound = startInbound(world);
  await inbound.apply(held, [heard('x1', { chat: club }), heard('x2', fromUs)], undefined);
  await inbound.apply(
    held,
    [receipt({ externalId: 'x1' }, 'read'), receipt({ externalId: 'x2' }, 'failed')],
    undefined,
  );
  expect((await messages()).map(({ status }) => status)).toEqual(['read', 'failed']);
});

test('each author in a group is a contact, but the chat has none; blocked contacts are received there', async () => {
  const inbound = startInbound(world);
  const says = (id: string, from: string) => heard(id, { chat: club, from, fromName: from.toUpperCase() });
  await inbound.apply(held, [says('x1', 'ann'), says('x2', 'ben')], undefined);
  await database.pool.query('update contacts set blocked = true where workspace_id = $1', [
    world.workspaceId,
  ]);
  await inbound.apply(held, [says('x3', 'ann'), heard('x4', fromUs)], undefined);
  const [chat, ...none] = await query('select * from chats where instance_id = $1');
  expect(none).toEqual([]);
  expect(chat).toMatchObject({ kind: 'group', key: 'club', title: 'Club', contact_id: null, unread: 3 });
  const [first, second, third, ours] = await messages();
  expect(third.contact_id).toBe(first.contact_id);
  expect(second.contact_id).not.toBe(first.contact_id);
  expect(ours.contact_id).toBeNull();
  const told = (await world.events('message.received')).map(({ object }) => [object['from'], object['chat']]);
  const shown = { id: publicId('chat', chat.id), kind: 'group' };
  expect(told).toEqual([
    ['ann', shown],
    ['ben', shown],
    ['ann', shown],
  ]);
});

test('a signal in a direct chat does not affect a message sent to a group, even if it has its ID', async () => {
  const inbound = startInbound(world);
  const [chatId] = await world.addChats(instanceId, ['club']);
  await database.pool.query(`update chats set kind = 'group' where id = $1`, [chatId]);
  const [id] = await world.queue(instanceId, [{ chatId: chatId!, text: 'ours' }]);
  const clientId = publicId('message', id!);
  const reaction = { author: 'eve', fromMe: false, emoji: '👎', at: new Date() };
  await inbound.apply(
    held,
    [
      receipt({ id: id! }, 'failed', { isDirect: true }),
      { kind: 'reacted', externalId: null, clientId, isDirect: true, ...reaction },
    ],
    undefined,
  );
  expect(await world.message(id!)).toMatchObject({ status: 'queued', history: ['queued'] });
  expect(await world.events()).toEqual([]);
  await inbound.apply(held, [receipt({ id: id! }, 'failed')], undefined);
  expect(await world.message(id!)).toMatchObject({ status: 'failed' });
});

test('a possible copy is ours only if we sent it to that chat; otherwise its apparent author wrote it', async () => {
  const inbound = startInbound(world);
  const [chatId, otherId] = await world.addChats(instanceId, ['club', 'pub']);
  await database.pool.query(`update chats set kind = 'group' where id = any ($1)`, [[chatId, otherId]]);
  const [id] = await world.queue(instanceId, [{ chatId: chatId!, text: 'ours' }]);
  const claim = (name: string, of: string, chat: { key: string; address: string } = club) =>
    heard(name, {
      uniqueId: `${chat.key} ${name}`,
      clientId: publicId('message', of),
      mayBeOurs: true,
      from: `${chat.key}/me`,
      chat: { kind: 'group', title: null, ...chat },
    });
  const others = async () =>
    (await messages()).filter((row) => row.id !== id).map((row) => [row.direction, row.from_address]);

  // It is not a copy of a message in another chat, nor of one that was never sent.
  const pub = { key: 'pub', address: 'pub' };
  const told = [claim('x1', id!, pub), claim('x2', '0190f5c0-0000-7000-8000-000000000001')];
  await inbound.apply(held, told, undefined);
  await inbound.apply(held, told, undefined);
  expect(await others()).toEqual([
    ['inbound', 'pub/me'],
    ['inbound', 'club/me'],
  ]);
  expect(await world.message(id!)).toMatchObject({ status: 'queued', external_id: null });

  await inbound.apply(held, [claim('x3', id!)], undefined);
  expect(await world.message(id!)).toMatchObject({ status: 'sent', external_id: 'x3' });
  // Recipients know its ID: a message that one writes under it is neither ours nor a name of ours.
  await inbound.apply(held, [claim('x4', id!)], undefined);
  await inbound.apply(held, [{ kind: 'revoked', externalId: 'club x4', at: new Date() }], undefined);
  const ours = async () => (await messages()).find((row) => row.id === id);
  expect(await ours()).toMatchObject({ status: 'sent', external_id: 'x3', deleted_at: null });
  expect(await others()).toHaveLength(2);
  await inbound.apply(held, [{ kind: 'revoked', externalId: 'club x3', at: new Date() }], undefined);
  expect(await ours()).toMatchObject({ deleted_at: expect.any(Date) as Date });
});
