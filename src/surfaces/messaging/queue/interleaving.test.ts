/** Tests concurrent transactions: however they interleave, nothing stays in progress and nothing moves back. */
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { PATIENCE } from '../../../../test/support/patience.ts';
import type { Database } from '../../../platform/db/database.ts';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/db.ts';
import { publicId } from '../../../core/vocabulary/ids.ts';
import type { Claimed } from './claim.system-store.ts';
import { clearQueue } from './maintenance.ts';
import { heard, receipt, startInbound } from '../../../../test/support/messaging/inbound.ts';
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
let instanceId: string;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  world = await createWorld(database.db);
  instanceId = await world.addInstance();
});

const query = async (text: string, values: unknown[] = []) => (await database.pool.query(text, values)).rows;
const hold = async (script: Script) => getHolding(world, instanceId, await world.take(instanceId), script);
async function queueOne(): Promise<string> {
  const [chatId] = await world.addChats(instanceId, ['a']);
  const [id] = await world.queue(instanceId, [{ chatId: chatId!, text: 'one' }]);
  return id!;
}
const untilSent = (id: string) =>
  vi.waitFor(async () => expect(await world.message(id)).toMatchObject({ status: 'sent' }), PATIENCE);

/** Returns the same database with commits controlled by `around`. */
const dbWith = (
  around: (work: () => Promise<unknown>, result: () => unknown) => Promise<void>,
  beforeCommit: (result: unknown) => Promise<void> = async () => {},
): Database =>
  new Proxy(world.db, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (name !== 'transaction') return typeof value === 'function' ? value.bind(target) : value;
      return () => ({
        async execute(work: (tx: unknown) => Promise<unknown>) {
          let result: unknown;
          await around(
            () =>
              target.transaction().execute(async (tx) => {
                result = await work(tx);
                await beforeCommit(result);
                return result;
              }),
            () => result,
          );
          return result;
        },
      });
    },
  });
const hasClaimed = (result: unknown): boolean =>
  ((result as { claimed?: unknown[] } | undefined)?.claimed?.length ?? 0) > 0;

describe('a connection that is detached while a claim for it is being committed', () => {
  test('waits for the claim, which is released: a row that was not passed to the channel never becomes unknown', async () => {
    let entered = (): void => {};
    let open = (): void => {};
    const inside = new Promise<void>((resolve) => (entered = resolve));
    const gate = new Promise<void>((resolve) => (open = resolve));
    const db = dbWith(async (work, result) => {
      await work();
      if (!hasClaimed(result())) return;
      entered();
      await gate;
    });
    const given: string[] = [];
    const send: Script['send'] = ({ clientId }) => {
      given.push(clientId);
      return sent('x1');
    };
    const id = await queueOne();
    const sender = startSender(world, { db });
    sender.attach(await hold({ resend: 'never', send }));
    await inside;
    const detached = sender.detach(instanceId);
    open();
    await detached;
    expect(await world.message(id)).toMatchObject({ status: 'queued' });
    expect(given).toEqual([]);
    sender.attach(await hold({ resend: 'never', send }));
    await untilSent(id);
    expect(given).toEqual([publicId('message', id)]);
    await sender.stop();
  });
});

describe('a queue that is cleared while a claim of it is being committed', () => {
  test('waits for the claim: rows counted as canceled are canceled, and the rest are sent', async () => {
    const chats = await world.addChats(instanceId, ['a', 'b', 'c']);
    const ids = await world.queue(
      instanceId,
      chats.map((chatId) => ({ chatId, text: 'text' })),
    );
    let entered = (): void => {};
    let open = (): void => {};
    const inside = new Promise<void>((resolve) => (entered = resolve));
    const gate = new Promise<void>((resolve) => (open = resolve));
    const db = dbWith(
      (work) => work().then(() => undefined),
      async (result) => {
        if (!hasClaimed(result)) return;
        entered();
        await gate;
      },
    );
    const sender = startSender(world, { db });
    const pacing = { perSecond: null, perChat: null, concurrency: 1 };
    // The next claim could get the lock before the waiting transaction.
    const isCleared = Promise.withResolvers<void>();
    sender.attach(await hold({ pacing, send: () => isCleared.promise.then(() => sent()) }));
    await inside;
    const cleared = world.units.write((unit) => clearQueue(unit, world.workspaceId, instanceId));
    await vi.waitFor(
      async () =>
        expect(
          await query(
            `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
          ),
        ).toHaveLength(1),
      PATIENCE,
    );
    open();
    expect(await cleared).toBe(2);
    isCleared.resolve();
    await vi.waitFor(async () => expect(await world.rows(instanceId)).toEqual([]), PATIENCE);
    const statuses = await Promise.all(ids.map(async (id) => (await world.message(id)).status));
    expect(statuses.toSorted()).toEqual(['canceled', 'canceled', 'sent']);
    await sender.stop();
  });
});

describe('a commit without a response', () => {
  test('of a recovery: the rows of the earlier holder are still recovered', async () => {
    const id = await queueOne();
    const before = await world.take(instanceId);
    await query('update send_queue set claimed_epoch = $2 where id = $1', [id, before]);
    await query(`update messages set status = 'sending' where id = $1`, [id]);
    let cut = 0;
    const db = dbWith(async (work, result) => {
      await work();
      if (hasClaimed(result()) && cut++ === 0) throw new Error('Connection terminated unexpectedly');
    });
    const sender = startSender(world, { db });
    sender.attach(await hold({ send: () => sent('x2') }));
    await untilSent(id);
    expect(cut).toBeGreaterThan(0);
    expect(await world.rows(instanceId)).toEqual([]);
    await sender.stop();
  });
});

test('a slow recovery of an earlier holder does not delay other connections', async () => {
  const id = await queueOne();
  const before = await world.take(instanceId);
  await query('update send_queue set claimed_epoch = $2 where id = $1', [id, before]);
  await query(`update messages set status = 'sending' where id = $1`, [id]);
  let isLooking = false;
  const free = await world.addInstance();
  const [chatId] = await world.addChats(free, ['b']);
  let open = (): void => {};
  const gate = new Promise<void>((resolve) => (open = resolve));
  const db = dbWith(
    (work) => work().then(() => undefined),
    async (result) => {
      if (!(result as { claimed?: Claimed[] }).claimed?.some((row) => row.id === id)) return;
      isLooking = true;
      await gate;
    },
  );
  const sender = startSender(world, { db });
  sender.attach(getHolding(world, free, await world.take(free), { send: () => sent() }));
  const sendFree = async () => (await world.queue(free, [{ chatId: chatId!, text: 'free' }]))[0]!;
  await untilSent(await sendFree());
  sender.attach(await hold({ send: () => sent('x3') }));
  await vi.waitFor(() => expect(isLooking).toBe(true), PATIENCE);
  await untilSent(await sendFree());
  expect(await world.message(id)).toMatchObject({ status: 'sending' });
  open();
  await untilSent(id);
  await sender.stop();
});

describe('signals about a message that is being sent', () => {
  test('a receipt waits for a claim without holding what the claim needs', async () => {
    const id = await queueOne();
    const holding = await hold({ send: () => sent() });
    const claimingConnection = new pg.Client(database.connection);
    await claimingConnection.connect();
    await claimingConnection.query('begin');
    await claimingConnection.query('update send_queue set claimed_epoch = $2 where id = $1', [
      id,
      holding.epoch,
    ]);
    const told = startInbound(world).apply(holding, [receipt({ id }, 'delivered')], undefined);
    // Waits until it is blocked by the claim.
    await vi.waitFor(
      async () =>
        expect(
          await query(
            `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
          ),
        ).toHaveLength(1),
      PATIENCE,
    );
    await claimingConnection.query(`update messages set status = 'sending' where id = $1`, [id]);
    await claimingConnection.query('commit');
    await claimingConnection.end();
    await told;
    expect(await world.message(id)).toMatchObject({ status: 'delivered' });
  });

  test('a message confirmed by its copy does not fail if the attempt gets no response', async () => {
    const id = await queueOne();
    const holding = await hold({ resend: 'never', ackTimeoutMs: 600, send: () => new Promise(() => {}) });
    const sender = startSender(world);
    sender.attach(holding);
    await vi.waitFor(
      async () => expect(await world.message(id)).toMatchObject({ status: 'sending' }),
      PATIENCE,
    );
    const copy = heard('copy', { fromMe: true, clientId: publicId('message', id) });
    await startInbound(world).apply(holding, [copy], undefined);
    await vi.waitFor(async () => expect(await world.rows(instanceId)).toEqual([]), PATIENCE);
    expect(await world.message(id)).toMatchObject({
      status: 'sent',
      history: ['queued', 'sending', 'sent'],
      error: null,
    });
    await sender.stop();
  });
});
