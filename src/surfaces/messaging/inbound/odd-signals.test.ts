/** Tests that signals of an unexpected shape are stored as far as possible and do not block others. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/db.ts';
import { createWorld, getHolding, sent, type World } from '../../../../test/support/messaging/queue.ts';
import { heard, receipt, startInbound } from '../../../../test/support/messaging/inbound.ts';

let database: TestDatabase;
let world: World;
beforeAll(async () => {
  database = await createTestDatabase();
  world = await createWorld(database.db);
});
afterAll(() => database.drop());

test.each([
  ['contacts that are no list', 'text', { type: 'contacts', data: { a: 1 } }],
  ['contacts that are none', 'text', { type: 'contacts', data: [null] }],
  ['a type that there is not', 'text', { type: 'hologram', data: { a: 1 } }],
  ['a type that every object has', 'text', { type: 'constructor', data: { a: 1 } }],
  [
    'members that the API could not show',
    'text',
    { type: 'poll', data: { question: 'q\\u0000', options: [{ 'a\0b': 1, '\ud800': '\udc00' }] } },
  ],
  [
    'data nested without end',
    'text',
    { type: 'poll', data: { question: 'q', options: JSON.parse('['.repeat(50_000) + ']'.repeat(50_000)) } },
  ],
  ['a time before all calendars', 'text', { at: new Date(-8.64e15) }],
  ['the year 0', 'text', { at: new Date('0000-01-01T00:00:00Z') }],
  ['no time', 'text', { at: new Date(Number.NaN) }],
])('%s', async (_name, type, odd) => {
  const instanceId = await world.addInstance();
  const holding = getHolding(world, instanceId, await world.take(instanceId), { send: () => sent() });
  const inbound = startInbound(world);
  await inbound.apply(holding, [heard('before'), heard('odd', odd as object), heard('after')], undefined);
  const { rows } = await database.pool.query(
    'select external_id, type from messages where instance_id = $1 order by sequence',
    [instanceId],
  );
  expect(rows).toEqual([
    { external_id: 'before', type: 'text' },
    { external_id: 'odd', type },
    { external_id: 'after', type: 'text' },
  ]);
  expect(inbound.logged).toEqual([]);
});

test.each([
  ['an edit without a text', { kind: 'edited', externalId: 'before', changeId: null, at: new Date() }],
  ['a message whose text is a number', heard('odd', { text: 5 as never })],
  ['a message without a chat', heard('odd', { chat: undefined as never })],
  ['a receipt without a time', receipt({ externalId: 'before' }, 'read', { at: undefined as never })],
  [
    'a group without words',
    { kind: 'group', key: 'alice', address: 'alice', by: null, at: new Date(), about: { subject: null } },
  ],
  ['typing by nobody', { kind: 'typing', chat: heard('x').chat, isTyping: true }],
  ['data that is no JSON', heard('odd', { type: 'poll', data: { n: 1n } as never })],
])('%s: all else is heard, and the position moves', async (_name, odd) => {
  const instanceId = await world.addInstance();
  const holding = getHolding(world, instanceId, await world.take(instanceId), { send: () => sent() });
  const inbound = startInbound(world, { tellLive: (_, { address }) => void address.length });
  await inbound.apply(holding, [heard('before'), odd as never, heard('after')], { at: 7 });
  const { rows } = await database.pool.query(
    `select external_id from messages where instance_id = $1 and external_id <> 'odd' order by sequence`,
    [instanceId],
  );
  expect(rows).toEqual([{ external_id: 'before' }, { external_id: 'after' }]);
  const { rows: connections } = await database.pool.query(
    'select position from connections where instance_id = $1',
    [instanceId],
  );
  expect(connections).toEqual([{ position: { at: 7 } }]);
});

test('signals that could not be stored are logged with their kind', async () => {
  const instanceId = await world.addInstance();
  const holding = getHolding(world, instanceId, await world.take(instanceId), { send: () => sent() });
  const errors: object[] = [];
  const log = { debug: () => {}, error: (details: object) => void errors.push(details) };
  const inbound = startInbound(world, { log });
  await inbound.apply(holding, [heard('odd', { chat: undefined as never }), heard('after')], undefined);
  expect(errors).toMatchObject([{ instance: instanceId, kind: 'message', externalId: 'odd' }]);
});
