/** Tests that names of messages, chats and people may have any length: nothing is lost or confused. */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/db.ts';
import {
  createWorld,
  getHolding,
  sent,
  startSender,
  type World,
} from '../../../../test/support/messaging/queue.ts';
import { heard, receipt, startInbound } from '../../../../test/support/messaging/inbound.ts';

let database: TestDatabase;
let world: World;
let instanceId: string;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  world = await createWorld(database.db);
  instanceId = await world.addInstance();
});

const query = async (text: string) => (await database.pool.query(text, [instanceId])).rows;
/** Generates incompressible text, which an index could only store in part. */
function strange(characters: number, seed: string): string {
  let text = '';
  for (let nth = 0; text.length < characters; nth++)
    for (const byte of createHash('sha256').update(`${seed} ${nth}`).digest())
      text += String.fromCodePoint(0x4e00 + ((byte * 80 + nth * 7 + text.length * 13) % 20_000));
  return text.slice(0, characters);
}
const start = async () => ({
  holding: getHolding(world, instanceId, await world.take(instanceId), { send: () => sent() }),
  inbound: startInbound(world),
});

test('IDs, keys and addresses of a thousand characters of three bytes', async () => {
  const { holding, inbound } = await start();
  const [id, key, address, author] = ['id', 'key', 'address', 'author'].map((seed) => strange(1_000, seed));
  const chat = { kind: 'direct', key: key!, address: address!, title: null } as const;
  const told = [
    heard(id!, { chat, from: address! }),
    heard('answer', { chat, from: address!, replyTo: { externalId: id! } }),
    {
      kind: 'reacted' as const,
      externalId: id!,
      clientId: null,
      author: author!,
      fromMe: false,
      emoji: '+',
      at: new Date(),
    },
  ];
  for (let times = 0; times < 2; times++) await inbound.apply(holding, told, undefined);
  expect(inbound.logged).toEqual([]);
  const rows = await query(
    'select id, external_id, reply_to from messages where instance_id = $1 order by sequence',
  );
  // The channel receives the name that it gave.
  expect(rows).toMatchObject([{ external_id: id }, { external_id: 'answer', reply_to: rows[0].id }]);
  expect(await query('select id from chats where instance_id = $1')).toHaveLength(1);
  expect(await query('select address from contact_identities where instance_id = $1')).toHaveLength(1);
});

test('names with the same first thousand characters are distinct', async () => {
  const { holding, inbound } = await start();
  const start1000 = 'x'.repeat(1_000);
  await inbound.apply(
    holding,
    [heard(`${start1000}1`), heard(`${start1000}2`), heard(start1000), heard(`${start1000}1`)],
    undefined,
  );
  expect(await query('select id from messages where instance_id = $1')).toHaveLength(3);
});

test('a message with a long name is found by it', async () => {
  const name = strange(2_000, 'sent');
  const [chatId] = await world.addChats(instanceId, ['a']);
  const [id] = await world.queue(instanceId, [{ chatId: chatId!, text: 'one' }]);
  const holding = getHolding(world, instanceId, await world.take(instanceId), { send: () => sent(name) });
  const sender = startSender(world);
  sender.attach(holding);
  await vi.waitFor(async () => expect(await world.message(id!)).toMatchObject({ status: 'sent' }));
  await startInbound(world).apply(holding, [receipt({ externalId: name }, 'delivered')], undefined);
  expect(await world.message(id!)).toMatchObject({ status: 'delivered', external_id: name });
  expect(sender.logged).toEqual([]);
  await sender.stop();
});
