/**
 * Tests addresses that a channel attributes to one person, in one batch and in several: chains, cycles, and any number.
 */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/db.ts';
import { heard, startInbound } from '../../../../test/support/messaging/inbound.ts';
import {
  createWorld,
  getHolding,
  type ScriptedHolding,
  sent,
  type World,
} from '../../../../test/support/messaging/queue.ts';
import { createDrivers } from '../../../channels/contract/driver-registry.ts';
import type { InboundMessage, SamePersonSignal } from '../../../channels/contract/signal.ts';
import type { JobPayloads } from '../../../platform/jobs/job-queue.ts';
import { addressesOfContacts } from '../records/sending-instance.store.ts';
import { findChatsAndContacts } from '../live/live.system-store.ts';
import { executeJoin } from './same-person.ts';
import { MAX_IDENTITIES } from './contact.schema.ts';

let database: TestDatabase;
let world: World;
let instanceId: string;
let held: ScriptedHolding;
let joins: JobPayloads['contacts.join'][];
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  joins = [];
  world = await createWorld(database.db, async (_db, name, payload) => {
    if (name === 'contacts.join') joins.push(payload as JobPayloads['contacts.join']);
  });
  instanceId = await world.addInstance();
  held = getHolding(world, instanceId, await world.take(instanceId), { send: () => sent() });
});

const query = async (text: string, values: unknown[] = [instanceId]) =>
  (await database.pool.query(text, values)).rows;
const same = (addresses: string[], former?: string[]): SamePersonSignal => ({
  kind: 'same_person',
  addresses,
  ...(former && { former }),
});
let last = 0;
const from = (address: string): InboundMessage =>
  heard(`same-${(last += 1)}`, {
    from: address,
    chat: { kind: 'direct', key: address, address, title: null },
  });
const identities = async (): Promise<string[][]> => {
  const rows = await query(
    `select array_agg(address || coalesce(' = ' || alias_of, '') order by alias_of nulls first, address) as all
     from contact_identities where instance_id = $1 group by contact_id order by contact_id`,
  );
  return rows.map((row) => row.all);
};
const chats = async (): Promise<string[]> =>
  (
    await query(
      `select c.address || ': ' || count(*) as told from chats c join messages m on m.chat_id = c.id
       where c.instance_id = $1 group by c.workspace_id, c.id order by c.id`,
    )
  ).map(({ told }) => told);

test.each([1, 0])(
  'addresses that replace one another are one person with one chat, in %s batch',
  async (isOne) => {
    const inbound = startInbound(world);
    const told = [
      from('a'),
      same(['b'], ['a']),
      from('b'),
      same(['c', 'x'], ['b']),
      from('x'),
      same(['a'], ['c']),
      from('a'),
    ];
    for (const batch of isOne ? [told] : told.map((one) => [one]))
      await inbound.apply(held, batch, undefined);
    expect(inbound.logged).toEqual([]);
    expect(await identities()).toEqual([['a', 'x = a']]);
    expect(await chats()).toEqual(['a: 4']);
  },
);

test('somebody who types is found by any address of theirs', async () => {
  const inbound = startInbound(world);
  await inbound.apply(held, [from('a'), same(['a', 'b'])], undefined);
  const [chat] = await query(`select id, contact_id, workspace_id from chats where instance_id = $1`);
  const about = { workspaceId: chat.workspace_id, instanceId };
  const asked = [
    { ...about, address: 'b', chatKey: 'b' },
    { ...about, address: 'b', chatKey: '' },
    { ...about, address: 'nobody', chatKey: 'nobody' },
  ];
  const known = { contact_id: chat.contact_id, address: 'a', is_blocked: false };
  expect(await findChatsAndContacts(database.db, asked)).toEqual([
    { ...known, chat_id: chat.id },
    { ...known, chat_id: null },
    { chat_id: null, contact_id: null, address: 'nobody', is_blocked: false },
  ]);
});

test('an address that two people have one after the other belongs to each in turn', async () => {
  const inbound = startInbound(world);
  const told = [
    from('a'),
    same(['b'], ['a']),
    from('a'),
    from('b'),
    same(['c'], ['a']),
    from('c'),
    from('a'),
  ];
  await inbound.apply(held, told, undefined);
  expect(inbound.logged).toEqual([]);
  expect(await identities()).toEqual([['b'], ['c'], ['a']]);
  expect((await chats()).toSorted()).toEqual(['a: 1', 'b: 2', 'c: 2']);
});

test('an older chat follows each change of address, and never goes to a new owner of one of them', async () => {
  const inbound = startInbound(world);
  const told = [
    from('a'),
    from('b'),
    same(['b'], ['a']),
    same(['c'], ['b']),
    from('b'),
    same(['d'], ['c']),
    from('d'),
  ];
  for (const one of told) await inbound.apply(held, [one], undefined);
  expect(inbound.logged).toEqual([]);
  expect((await chats()).toSorted()).toEqual(['b: 1', 'd: 1', 'd: 2']);
});

test('contacts that are joined in one batch, in any order, end under one root', async () => {
  const inbound = startInbound(world);
  for (const one of ['a', 'b', 'c', 'd']) await inbound.apply(held, [from(one)], undefined);
  await inbound.apply(
    held,
    [same(['a', 'b']), same(['c', 'd']), same(['d', 'a', 'e']), same(['f', 'b'])],
    undefined,
  );
  const all = (await identities()).flat();
  const root = all.find((one) => !one.includes('='))!;
  expect(all.toSorted()).toEqual(
    ['a', 'b', 'c', 'd', 'e', 'f'].map((one) => (one === root ? one : `${one} = ${root}`)).toSorted(),
  );
  await inbound.apply(held, ['a', 'b', 'c', 'd', 'e', 'f'].map(from), undefined);
  expect((await chats()).filter((one) => one.endsWith(': 7'))).toEqual([`${root}: 7`]);
  for (const join of joins)
    await executeJoin(world.units, { drivers: createDrivers([], 'http://localhost'), wakeSender() {} }, join);
  expect((await identities()).length).toBe(1);
  expect(inbound.logged).toEqual([]);
});

test('no contact gets more addresses than allowed, however many are reported', async () => {
  const inbound = startInbound(world);
  const names = Array.from({ length: 3 * MAX_IDENTITIES }, (_, nth) => `n${nth}`);
  const chain = names.slice(1).map((one, nth) => same([names[nth]!, one]));
  await inbound.apply(held, [...chain, from(names[0]!)], undefined);
  expect((await identities()).map(({ length }) => length)).toEqual([MAX_IDENTITIES]);
  await inbound.apply(held, [...chain, from('n7')], undefined);
  expect((await identities()).map(({ length }) => length)).toEqual([MAX_IDENTITIES]);
  expect(await chats()).toEqual(['n0: 2']);
  expect(inbound.logged).toEqual([]);
});

test('two contacts with too many addresses to be merged still have one chat', async () => {
  const inbound = startInbound(world);
  const half = (who: string): string[] =>
    Array.from({ length: MAX_IDENTITIES / 2 + 1 }, (_, nth) => `${who}${nth}`);
  for (const who of ['a', 'b']) await inbound.apply(held, [same(half(who)), from(`${who}0`)], undefined);
  await inbound.apply(held, [same(['a3', 'b3'])], undefined);
  for (const join of joins)
    await executeJoin(world.units, { drivers: createDrivers([], 'http://localhost'), wakeSender() {} }, join);
  const owners = await query(
    'select contact_id, min(coalesce(alias_of, address)) as root from contact_identities where instance_id = $1 group by 1',
  );
  expect(owners.map(({ root }) => root)).toEqual(['b0', 'b0']);
  const wanted = owners.map(({ contact_id: contactId }) => ({ contactId, instanceId }));
  const found = await addressesOfContacts(world.db, world.workspaceId, wanted);
  expect([...found.values()].map(({ address }) => address)).toEqual(['b0', 'b0']);
  await inbound.apply(held, [from('a7'), from('b7')], undefined);
  expect((await chats()).toSorted()).toEqual(['a0: 1', 'b0: 3']);
});

test('a contact that gains and loses addresses emits one event, with its previous addresses', async () => {
  const inbound = startInbound(world);
  await inbound.apply(held, [from('a')], undefined);
  await inbound.apply(held, [same(['a', 'b']), same(['a', 'c']), same(['d'], ['b']), from('d')], undefined);
  const events = await query(
    `select data from outbox where workspace_id = $1 and type = 'contact.updated' order by event_id`,
    [world.workspaceId],
  );
  const toAddresses = (contact: { identities: { address: string }[] }) =>
    contact.identities.map(({ address }) => address);
  expect(events.map(({ data }) => [toAddresses(data.previous_attributes), toAddresses(data.object)])).toEqual(
    [[['a'], ['a', 'c', 'd']]],
  );
});
