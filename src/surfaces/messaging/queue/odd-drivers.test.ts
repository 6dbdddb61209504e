/**
 * Tests that whatever a driver returns or throws, its message completes, the next one of the chat is sent, and other
 * connections continue.
 */
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { PATIENCE } from '../../../../test/support/patience.ts';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/db.ts';
import { DriverError } from '../../../channels/contract/driver-error.ts';
import {
  createWorld,
  getHolding,
  sent,
  startSender,
  type World,
} from '../../../../test/support/messaging/queue.ts';

let database: TestDatabase;
let world: World;
const unhandled: unknown[] = [];
const note = (error: unknown): void => void unhandled.push(error);
beforeAll(async () => {
  database = await createTestDatabase();
  process.on('unhandledRejection', note);
});
afterAll(async () => {
  process.off('unhandledRejection', note);
  await database.drop();
});
beforeEach(async () => {
  world = await createWorld(database.db);
});

const answers = (value: unknown) => () => value;
const throws = (value: unknown) => () => {
  throw value;
};
const UNKNOWN = 'delivery_unknown';

test.each([
  ['answers nothing', answers(undefined), UNKNOWN],
  ['answers null', answers(null), UNKNOWN],
  ['answers a word', answers('ok'), UNKNOWN],
  ['answers a status that there is not', answers({ ...sent('x'), status: 'gone' }), UNKNOWN],
  ['answers an id that is none', answers({ ...sent(), externalId: 5 }), UNKNOWN],
  ['answers an id that can not be kept', answers(sent('a\0\ud800')), null],
  ['answers no time', answers({ ...sent(), at: new Date(Number.NaN) }), null],
  ['throws nothing', throws(undefined), UNKNOWN],
  ['throws a fault without words', throws(new DriverError('rejected', undefined as never, '')), 'undefined'],
  ['throws a fault with a number', throws(new DriverError('rejected', 550 as never, 'x\0\ud800')), '550'],
  [
    'throws what can not be read',
    throws({
      get message() {
        throw new Error('no');
      },
      get stack() {
        throw new Error('no');
      },
    }),
    UNKNOWN,
  ],
])('a driver that %s', async (_name, odd, error) => {
  const [instanceId, other] = [await world.addInstance(), await world.addInstance()];
  const [chatId] = await world.addChats(instanceId, ['a']);
  const [otherChat] = await world.addChats(other, ['b']);
  let isFirst = true;
  const send = () => {
    if (!isFirst) return sent();
    isFirst = false;
    return odd() as ReturnType<typeof sent>;
  };
  const sender = startSender(world);
  sender.attach(getHolding(world, instanceId, await world.take(instanceId), { resend: 'never', send }));
  sender.attach(getHolding(world, other, await world.take(other), { send: () => sent() }));
  const [first, second] = await world.queue(instanceId, [
    { chatId: chatId!, text: 'odd' },
    { chatId: chatId!, text: 'fine' },
  ]);
  const [third] = await world.queue(other, [{ chatId: otherChat!, text: 'elsewhere' }]);
  for (const id of [second!, third!])
    await vi.waitFor(async () => expect(await world.message(id)).toMatchObject({ status: 'sent' }), PATIENCE);
  expect(await world.message(first!)).toMatchObject({ status: error === null ? 'sent' : 'failed', error });
  expect(await world.rows(instanceId)).toEqual([]);
  await sender.stop();
  expect(unhandled).toEqual([]);
});
