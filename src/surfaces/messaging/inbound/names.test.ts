/**
 * Tests names chosen by authors, which may be duplicated: each message is still stored once, and signals apply to the
 * intended one.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/db.ts';
import type { Units } from '../../../core/unit/unit-of-work.ts';
import { newUuid } from '../../../platform/http/ids.ts';
import { publicId } from '../../../core/vocabulary/ids.ts';
import type { InboundMessage, Signal } from '../../../channels/contract/signal.ts';
import {
  createWorld,
  getHolding,
  type ScriptedHolding,
  sent,
  startSender,
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

const query = async (text: string, values: unknown[] = [instanceId]) =>
  (await database.pool.query(text, values)).rows;
const messages = () => query('select * from messages where instance_id = $1 order by sequence');
const bodies = async () => (await messages()).map(({ content }) => content.body);

/** Creates a message with the author's name for it and the server's. */
const written = (from: string, id: string, uniqueId: string, more: Partial<InboundMessage> = {}) =>
  heard(id, {
    uniqueId,
    aliases: [`${from} ${id}`],
    chat: { kind: 'direct', key: from, address: from, title: null },
    from,
    text: uniqueId,
    ...more,
  });
const at = new Date();
const edited = (externalId: string, text: string): Signal => ({
  kind: 'edited',
  externalId,
  changeId: null,
  text,
  at,
});
const revoked = (externalId: string): Signal => ({ kind: 'revoked', externalId, at });
const reacted = (externalId: string): Signal => ({
  kind: 'reacted',
  externalId,
  clientId: null,
  author: 'bob',
  fromMe: false,
  emoji: '👍',
  at,
});

test('if two authors choose the same ID, there are two messages, each changed only by its author', async () => {
  const inbound = startInbound(world);
  await inbound.apply(held, [written('alice', '1', 'u1'), written('bob', '1', 'u2')], undefined);
  expect((await messages()).map(({ external_id: id }) => id)).toEqual(['1', '1']);
  await inbound.apply(held, [edited('alice 1', "alice's"), edited('1', 'nobody named it so')], undefined);
  expect(await bodies()).toEqual(["alice's", 'u2']);
  await inbound.apply(held, [edited('u2', 'by the name of the server'), reacted('bob 1')], undefined);
  expect(await bodies()).toEqual(["alice's", 'by the name of the server']);
  const reactions = await query(
    'select m.from_address from message_reactions r join messages m on m.id = r.message_id where m.instance_id = $1',
  );
  expect(reactions).toEqual([{ from_address: 'bob' }]);
});

test('if one author chooses the same ID twice, both messages are stored, and the ID refers to the newer', async () => {
  const inbound = startInbound(world);
  await inbound.apply(held, [written('alice', '1', 'u1')], undefined);
  await inbound.apply(held, [written('alice', '1', 'u2')], undefined);
  await inbound.apply(held, [edited('alice 1', 'changed'), revoked('u1')], undefined);
  const [first, second] = await messages();
  expect([first.deleted_at, second.content.body]).toEqual([at, 'changed']);
});

test('within one batch an ID refers to the latest message before it', async () => {
  const inbound = startInbound(world);
  await inbound.apply(
    held,
    [
      written('alice', '1', 'u1'),
      edited('alice 1', 'first'),
      written('alice', '1', 'u2'),
      written('alice', '1', 'u1'),
      edited('alice 1', 'second'),
      written('alice', '2', 'u3', { replyTo: { externalId: 'alice 1' } }),
    ],
    undefined,
  );
  expect(await bodies()).toEqual(['first', 'second', 'u3']);
  const [, second, third] = await messages();
  expect(third.reply_to).toBe(second.id);
});

test('an alias never replaces a unique name, nor blocks the message with that unique name', async () => {
  const inbound = startInbound(world);
  await inbound.apply(held, [written('alice', '1', 'u1')], undefined);
  // In separate batches and in one.
  await inbound.apply(held, [written('mallory', '2', 'u2', { aliases: ['u1', 'u3'] })], undefined);
  await inbound.apply(held, [edited('u1', 'of alice'), edited('u3', 'of mallory')], undefined);
  await inbound.apply(held, [written('carol', '3', 'u3'), edited('u3', 'of carol')], undefined);
  expect(await bodies()).toEqual(['of alice', 'of mallory', 'of carol']);
  await inbound.apply(
    held,
    [
      written('mallory', '4', 'u4', { aliases: ['u5'] }),
      written('carol', '5', 'u5'),
      written('mallory', '6', 'u6', { aliases: ['u5', 'u6'] }),
      edited('u5', 'of carol too'),
    ],
    undefined,
  );
  expect((await bodies()).slice(3)).toEqual(['u4', 'of carol too', 'u6']);
});

test('the ID in the response to a send is a unique name, whoever chose it before', async () => {
  const inbound = startInbound(world);
  await inbound.apply(held, [written('mallory', '1', 'u1', { aliases: ['x-ours'] })], undefined);
  const [chatId] = await world.addChats(instanceId, ['alice']);
  const [id] = await world.queue(instanceId, [{ chatId: chatId!, text: 'ours' }]);
  held = getHolding(world, instanceId, held.epoch, { send: () => sent('x-ours') });
  const sender = startSender(world);
  sender.attach(held);
  await vi.waitFor(async () => expect(await world.message(id!)).toMatchObject({ status: 'sent' }));
  await inbound.apply(held, [receipt({ externalId: 'x-ours' }, 'delivered')], undefined);
  await inbound.apply(held, [written('mallory', '2', 'u2', { aliases: ['x-ours'] })], undefined);
  await inbound.apply(held, [receipt({ externalId: 'x-ours' }, 'read')], undefined);
  expect(await world.message(id!)).toMatchObject({ status: 'read', external_id: 'x-ours' });
  expect(sender.logged).toEqual([]);
  await sender.stop();
});

test('copies of sent messages add their names; receipts and replies find the message by them and by its client ID', async () => {
  const inbound = startInbound(world);
  const [chatId] = await world.addChats(instanceId, ['alice']);
  const [id] = await world.queue(instanceId, [{ chatId: chatId!, text: 'ours' }]);
  const name = publicId('message', id!);
  const other = publicId('message', newUuid());
  const toAlice = { fromMe: true, from: 'me', chat: heard('').chat };
  const copy = written('me', name, 'u1', { ...toAlice, clientId: name, aliases: [`alice ${name}`] });
  await inbound.apply(held, [copy], undefined);
  await inbound.apply(held, [copy, receipt({ externalId: `alice ${name}` }, 'delivered')], undefined);
  expect(await world.message(id!)).toMatchObject({ status: 'delivered', external_id: name });
  await inbound.apply(
    held,
    [
      written('alice', '1', 'u2', { replyTo: { externalId: `alice ${name}` } }),
      written('alice', '2', 'u3', { replyTo: { externalId: name } }),
      written('alice', '3', 'u4', { replyTo: { externalId: other } }),
    ],
    undefined,
  );
  const [, ...answers] = await messages();
  expect(answers).toMatchObject([
    { reply_to: id },
    { reply_to: id },
    { reply_to: null, reply_to_external_id: other },
  ]);
});

test('a reply to a message of another instance is a reply to an unknown message', async () => {
  const inbound = startInbound(world);
  const other = await world.addInstance();
  const [chatId] = await world.addChats(other, ['alice']);
  const [id] = await world.queue(other, [{ chatId: chatId!, text: 'theirs' }]);
  const name = publicId('message', id!);
  await inbound.apply(held, [written('alice', '1', 'u1', { replyTo: { externalId: name } })], undefined);
  expect(await messages()).toMatchObject([{ reply_to: null, reply_to_external_id: name }]);
});

test('a process that dies in the transaction leaves no name behind', async () => {
  const dying: Units = {
    ...world.units,
    write: (work) =>
      world.units.write(async (unit) => {
        await work(unit);
        throw new Error('the process dies here');
      }),
  };
  const inbound = startInbound(world);
  await inbound.apply(held, [written('alice', '1', 'u1')], undefined);
  const failing = startInbound(world, { units: dying });
  await expect(failing.apply(held, [written('alice', '1', 'u2')], undefined)).rejects.toThrow('dies here');
  await inbound.apply(held, [edited('alice 1', 'still the first')], undefined);
  await inbound.apply(held, [written('alice', '1', 'u2')], undefined);
  expect(await bodies()).toEqual(['still the first', 'u2']);
});

test('excessive names, and names too long for an index, are limited', async () => {
  const inbound = startInbound(world);
  const aliases = Array.from({ length: 1_000 }, (_, nth) => `${nth}${'x'.repeat(5_000)}`);
  await inbound.apply(held, [written('alice', '1', 'u1', { aliases })], undefined);
  await inbound.apply(held, [edited(aliases[0]!, 'by the first')], undefined);
  expect(await bodies()).toEqual(['by the first']);
  expect((await query('select 1 from inbound_seen where instance_id = $1')).length).toBe(9);
  expect(inbound.logged).toEqual([]);
});

test('signals repeated from any point, in batches of any size, have the same result as once', async () => {
  const inbound = startInbound(world);
  let nth = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ from: fc.constantFrom('a', 'b'), id: fc.constantFrom('1', '2') }), {
        minLength: 1,
        maxLength: 6,
      }),
      fc.array(fc.tuple(fc.nat(6), fc.nat(6)), { maxLength: 4 }),
      async (story, replays) => {
        const run = nth++;
        const told = story.map(({ from, id }, index) =>
          written(`${from}${run}`, id, `${run}/${index}`, { chat: heard('').chat }),
        );
        await inbound.apply(held, told.slice(0, 2), undefined);
        if (told.length > 2) await inbound.apply(held, told.slice(2), undefined);
        for (const [from, count] of replays)
          await inbound.apply(held, told.slice(from, from + count), undefined);
        const rows = await query(
          `select m.content->>'body' as body, array(
             select external_id from inbound_seen s where s.message_id = m.id and is_alias order by external_id
           ) as aliases
           from messages m where instance_id = $1 and content->>'body' like $2 order by sequence`,
          [instanceId, `${run}/%`],
        );
        expect(rows).toEqual(
          told.map(({ uniqueId, aliases }, index) => ({
            body: uniqueId,
            aliases: told.slice(index + 1).some((later) => later.aliases![0] === aliases![0]) ? [] : aliases,
          })),
        );
      },
    ),
    { numRuns: 30 },
  );
});

test('changes made on another device to a message sent here are found by its client ID', async () => {
  const inbound = startInbound(world);
  const [chatId] = await world.addChats(instanceId, ['alice']);
  const [id, mine] = await world.queue(instanceId, [
    { chatId: chatId!, text: 'ours' },
    { chatId: chatId!, text: 'ours too' },
  ]);
  const byUs = (of: string) => ({ externalId: `me alice ${of}`, clientId: publicId('message', of), at });
  const correction = { kind: 'edited', ...byUs(id!), changeId: null, text: 'better' } as const;
  await inbound.apply(held, [correction, { kind: 'revoked', ...byUs(mine!) }], undefined);
  const [first, second] = await messages();
  expect([first.content.body, second.deleted_at]).toEqual(['better', at]);
});
