/**
 * Tests a long lock on the queue of one instance: sends on other instances are not delayed, and none of its outcomes
 * are lost.
 */
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { PATIENCE } from '../../../../test/support/patience.ts';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/db.ts';
import type { SendResult } from '../../../channels/contract/connection.ts';
import {
  createWorld,
  getHolding,
  type Script,
  sent,
  startSender,
  type World,
} from '../../../../test/support/messaging/queue.ts';

let database: TestDatabase;
let world: World;
let other: pg.Client;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  world = await createWorld(database.db);
  other = new pg.Client(database.connection);
  await other.connect();
});
afterEach(() => other.end());

const CONCURRENCY = 4;
const LOCK = 'select from instance_queues where instance_id = $1 for update';
const until = (id: string, status: string) =>
  vi.waitFor(async () => expect(await world.message(id)).toMatchObject({ status }), PATIENCE);
const hold = async (instanceId: string, send: Script['send']) =>
  getHolding(world, instanceId, await world.take(instanceId), {
    send,
    ackTimeoutMs: 60_000,
    pacing: { perSecond: null, perChat: null, concurrency: CONCURRENCY },
  });

/** Creates an instance with the maximum number of running sends, and locks its queue before any has a response. */
async function lockedWhileSending() {
  const [stuck, free] = [await world.addInstance(), await world.addInstance()];
  const chats = await world.addChats(
    stuck,
    Array.from({ length: 40 }, (_, nth) => `a${nth}`),
  );
  const ids = await world.queue(
    stuck,
    chats.map((chatId) => ({ chatId, text: 'stuck' })),
  );
  const [chatId] = await world.addChats(free, ['b']);
  const sendFree = async () => (await world.queue(free, [{ chatId: chatId!, text: 'free' }]))[0]!;
  let given = 0;
  let answer = (): void => {};
  const gate = new Promise<SendResult>((resolve) => (answer = () => resolve(sent())));
  const sender = startSender(world);
  sender.attach(await hold(stuck, () => (given++, gate)));
  sender.attach(await hold(free, () => sent()));
  await vi.waitFor(() => expect(given).toBe(CONCURRENCY), PATIENCE);
  await other.query('begin');
  await other.query(LOCK, [stuck]);
  answer();
  const waiting = async () => {
    const { rows } = await database.pool.query(
      `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return rows.length;
  };
  return { stuck, ids, sender, sendFree, waiting, given: () => given };
}

test('others are sent, the instance claims no more than its maximum, and all outcomes are stored once the lock is free', async () => {
  const { stuck, ids, sender, sendFree, given } = await lockedWhileSending();
  for (let nth = 0; nth < 30; nth++) {
    const id = await sendFree();
    sender.wake();
    await until(id, 'sent');
  }
  expect(await world.statuses(stuck)).not.toHaveProperty('sent');
  // One cycle cannot know yet that the completions will be postponed.
  expect(given()).toBeLessThanOrEqual(2 * CONCURRENCY);
  await other.query('rollback');
  await vi.waitFor(async () => expect(await world.statuses(stuck)).toEqual({ sent: ids.length }), PATIENCE);
  expect(await world.rows(stuck)).toEqual([]);
  expect(given()).toBe(ids.length);
  expect(sender.logged).toEqual([]);
  await sender.stop();
});

test('a separate transaction waits for the lock, so that successive lock holders do not block it forever', async () => {
  const { stuck, ids, sender, sendFree, waiting } = await lockedWhileSending();
  await vi.waitFor(async () => expect(await waiting()).toBe(1), PATIENCE);
  // A second client that always gets the lock before a cycle does.
  const next = new pg.Client(database.connection);
  await next.connect();
  await next.query('begin');
  const locked = next.query(LOCK, [stuck]);
  await until(await sendFree(), 'sent');
  await other.query('rollback');
  await locked;
  await next.query('rollback');
  await next.end();
  await vi.waitFor(async () => expect(await world.statuses(stuck)).toEqual({ sent: ids.length }), PATIENCE);
  await sender.stop();
});

test('a connection that is lost in the meantime is released, and its next holder determines the outcomes', async () => {
  const { stuck, sender, waiting } = await lockedWhileSending();
  await vi.waitFor(async () => expect(await waiting()).toBe(1), PATIENCE);
  // The waiting transaction holds the fence, so the new holder waits for it, up to its time limit.
  const epoch = await world.take(stuck);
  await vi.waitFor(() => expect(sender.has(stuck)).toBe(false), PATIENCE);
  expect((await world.rows(stuck)).every(({ claimed_epoch: claimed }) => claimed !== epoch)).toBe(true);
  expect(await world.statuses(stuck)).not.toHaveProperty('sent');
  await other.query('rollback');
  await sender.stop();
});
