/** Tests that nothing is lost, duplicated or left pending if holders die, channels don't respond, or fences fail. */
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { PATIENCE } from '../../../../test/support/patience.ts';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/db.ts';
import { type SendResult } from '../../../channels/contract/connection.ts';
import { type Resend } from '../../../channels/contract/capabilities.ts';
import { DriverError } from '../../../channels/contract/driver-error.ts';
import { startInbound } from '../../../../test/support/messaging/inbound.ts';
import { clearQueue, createQueueMaintenance } from './maintenance.ts';
import { enqueueAction } from '../records/queue-row.store.ts';
import type { Sender } from './sender.ts';
import {
  createWorld,
  getHolding,
  type Script,
  type ScriptedHolding,
  sent,
  startSender,
  type World,
} from '../../../../test/support/messaging/queue.ts';

let database: TestDatabase;
let world: World;
const senders: Sender[] = [];
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  for (const sender of senders.splice(0)) await sender.stop();
  world = await createWorld(database.db);
});
afterAll(async () => {
  for (const sender of senders) await sender.stop();
});

/** Errors of maintenance. */
const faults: string[] = [];
const LOG = { error: (_: object, message: string) => void faults.push(message) };
const query = async (text: string, values: unknown[] = []) => (await database.pool.query(text, values)).rows;

function start(more: Parameters<typeof startSender>[1] = {}) {
  const sender = startSender(world, more);
  senders.push(sender);
  return sender;
}
const settled = (id: string, status: string) =>
  vi.waitFor(async () => expect((await world.message(id)).status).toBe(status), PATIENCE);

/** An instance with one message queued, and another behind it in its chat. */
async function queued(options: { resendUnknown?: boolean; ttlSeconds?: number } = {}) {
  const instanceId = await world.addInstance(options);
  const [chatId] = await world.addChats(instanceId, ['one']);
  const [first, next] = await world.queue(
    instanceId,
    ['first', 'next'].map((text) => ({ chatId: chatId!, text })),
    options,
  );
  return { instanceId, chatId: chatId!, first: first!, next: next! };
}
const hold = async (instanceId: string, script: Script): Promise<ScriptedHolding> =>
  getHolding(world, instanceId, await world.take(instanceId), script);

describe('a holder died while it sent', () => {
  /** Claimed and given to the channel, when the process was gone. */
  async function died(resend: Resend, options: { resendUnknown?: boolean } = {}) {
    const one = await queued(options);
    const sender = start();
    sender.attach(
      await hold(one.instanceId, { resend, ackTimeoutMs: 60_000, send: () => new Promise(() => {}) }),
    );
    await settled(one.first, 'sending');
    await sender.stop();
    return one;
  }

  test('deduplicated: sent again under the same client ID, before the next of its chat', async () => {
    const { instanceId, first, next } = await died('deduplicated');
    const given: string[] = [];
    start().attach(
      await hold(instanceId, { send: ({ id, attempt }) => (given.push(`${id} ${attempt}`), sent()) }),
    );
    await settled(next, 'sent');
    expect(given).toEqual([`${first} 1`, `${next} 0`]);
    expect((await world.message(first)).history).toEqual(['queued', 'sending', 'sent']);
  });

  test('the capabilities decide where they say something else than the driver', async () => {
    const { instanceId, first } = await died('never');
    const given: string[] = [];
    const send = ({ id }: { id: string }) => (given.push(id), sent());
    start().attach(await hold(instanceId, { resend: 'never', declared: 'deduplicated', send }));
    await settled(first, 'sent');
    expect(given[0]).toBe(first);
  });

  test('lookup: messages that the channel has are not sent again; those that it never received are', async () => {
    for (const known of [true, false]) {
      const { instanceId, first, next } = await died('lookup');
      const given: string[] = [];
      const lookup = async (): Promise<SendResult | null> => (known ? sent('x-known') : null);
      start().attach(
        await hold(instanceId, {
          resend: 'lookup',
          send: ({ id }) => (given.push(id), sent(`x-${id}`)),
          connection: { lookup },
        }),
      );
      await settled(next, 'sent');
      expect(given).toEqual(known ? [next] : [first, next]);
      expect((await world.message(first)).external_id).toBe(known ? 'x-known' : `x-${first}`);
    }
  });

  test('never: fails as unknown unless the instance resends; the next one is sent', async () => {
    for (const resendUnknown of [false, true]) {
      const { instanceId, first, next } = await died('never', { resendUnknown });
      const given: string[] = [];
      start().attach(await hold(instanceId, { resend: 'never', send: ({ id }) => (given.push(id), sent()) }));
      await settled(next, 'sent');
      expect(given).toEqual(resendUnknown ? [first, next] : [next]);
      expect(await world.message(first)).toMatchObject(
        resendUnknown ? { status: 'sent' } : { status: 'failed', error: 'delivery_unknown' },
      );
    }
  });

  test('without a successor: it eventually fails as unknown, and the messages behind it as expired', async () => {
    const { instanceId, first, next } = await died('deduplicated');
    await query('update send_queue set expires_at = now() where instance_id = $1', [instanceId]);
    const maintenance = createQueueMaintenance({
      db: database.db,
      units: world.units,
      log: LOG,
      wakeSender: () => {},
    });
    maintenance.start();
    await settled(next, 'failed');
    // Its holder's lease is still valid.
    expect((await world.message(first)).status).toBe('sending');
    await world.endNode(world.nodeId);
    await settled(first, 'failed');
    await maintenance.stop();
    expect(faults).toEqual([]);
    expect((await world.message(first)).error).toBe('delivery_unknown');
    expect((await world.message(next)).error).toBe('expired');
    expect(await query('select length from instance_queues where instance_id = $1', [instanceId])).toEqual([
      { length: 0 },
    ]);
  });
});

describe('no answer in time', () => {
  const hang = () => new Promise<SendResult>(() => {});

  test('deduplicated: sent again until there is one', async () => {
    const { instanceId, first, next } = await queued();
    let tries = 0;
    start().attach(
      await hold(instanceId, {
        ackTimeoutMs: 50,
        send: ({ id }) => (id === first && ++tries < 3 ? hang() : sent()),
      }),
    );
    await settled(next, 'sent');
    expect(tries).toBe(3);
    // The channel may have accepted it, so it never returned to queued.
    expect((await world.message(first)).history).toEqual(['queued', 'sending', 'sent']);
  });

  test('lookup: asked first; what the channel has is sent', async () => {
    const { instanceId, first, next } = await queued();
    const given: string[] = [];
    const held = await hold(instanceId, {
      resend: 'lookup',
      ackTimeoutMs: 50,
      send: ({ id }) => (given.push(id), id === first ? hang() : sent()),
      connection: { lookup: async () => sent('x-found') },
    });
    start().attach(held);
    await settled(next, 'sent');
    expect(given).toEqual([first, next]);
    expect(await world.message(first)).toMatchObject({ status: 'sent', external_id: 'x-found' });
  });

  test('lookup on a connection that is deaf: it is reported, and the message waits as uncertain', async () => {
    const { instanceId, first } = await queued();
    const held = await hold(instanceId, {
      resend: 'lookup',
      ackTimeoutMs: 50,
      send: hang,
      connection: { probe: () => Promise.reject(new DriverError('lost', 'deaf', 'It hears nothing.')) },
    });
    start().attach(held);
    await vi.waitFor(
      async () =>
        expect((await world.rows(instanceId))[0]).toMatchObject({ uncertain: true, claimed_epoch: null }),
      PATIENCE,
    );
    expect(held.reported.map(({ code }) => code)).toContain('deaf');
    expect((await world.message(first)).status).toBe('sending');
  });

  test('never: fails as unknown; a late response still wins', async () => {
    const { instanceId, first, next } = await queued();
    const inbound = startInbound(world);
    let answer: ((result: SendResult) => void) | undefined;
    const send = ({ id }: { id: string }) =>
      id === first ? new Promise<SendResult>((resolve) => (answer = resolve)) : sent();
    const held = await hold(instanceId, { resend: 'never', ackTimeoutMs: 50, send });
    start({ onLate: (holding, row, result) => inbound.late(holding, row, result) }).attach(held);
    await settled(next, 'sent');
    expect(await world.message(first)).toMatchObject({ status: 'failed', error: 'delivery_unknown' });
    answer!(sent('x-late'));
    await settled(first, 'sent');
    expect(await world.message(first)).toMatchObject({ external_id: 'x-late', error: null, failed_as: null });
    await inbound.stop();
  });
});

describe('the fence', () => {
  test('a holder that lost the connection while sending stores no outcome and claims nothing', async () => {
    const { instanceId, first, next } = await queued();
    let answer: ((result: SendResult) => void) | undefined;
    const held = await hold(instanceId, { send: () => new Promise((resolve) => (answer = resolve)) });
    const sender = start();
    sender.attach(held);
    await settled(first, 'sending');
    await world.take(instanceId, await world.addNode());
    answer!(sent('x-mine'));
    await vi.waitFor(() => expect(held.isLost).toBe(true), PATIENCE);
    expect(sender.has(instanceId)).toBe(false);
    expect(await world.message(first)).toMatchObject({ status: 'sending', external_id: null });
    expect((await world.message(next)).status).toBe('queued');
    expect((await world.rows(instanceId)).map(({ claimed_epoch: epoch }) => epoch)).toEqual([
      held.epoch,
      null,
    ]);
    expect(await world.events('message.sent')).toEqual([]);
  });

  test('a node without a lease claims nothing', async () => {
    const { instanceId, first } = await queued();
    const node = await world.addNode();
    const given: string[] = [];
    const send = ({ id }: { id: string }) => (given.push(id), sent());
    const held = getHolding(world, instanceId, await world.take(instanceId, node), { send }, node);
    await world.endNode(node);
    const sender = start();
    sender.attach(held);
    sender.wake(instanceId);
    const other = await queued();
    sender.attach(await hold(other.instanceId, { send: () => sent() }));
    await settled(other.next, 'sent');
    expect(given).toEqual([]);
    expect((await world.message(first)).status).toBe('queued');
  });

  test('detaching waits for running sends and starts nothing more', async () => {
    const { instanceId, first, next } = await queued();
    let answer: ((result: SendResult) => void) | undefined;
    const sender = start();
    sender.attach(await hold(instanceId, { send: () => new Promise((resolve) => (answer = resolve)) }));
    await settled(first, 'sending');
    const detached = sender.detach(instanceId);
    answer!(sent());
    await detached;
    expect((await world.message(first)).status).toBe('sent');
    expect((await world.message(next)).status).toBe('queued');
    expect(sender.has(instanceId)).toBe(false);
  });
});

test('clearing a queue during a send: that send continues, the rest is canceled, later messages are sent', async () => {
  const { instanceId, chatId, first, next } = await queued();
  const more = await world.queue(
    instanceId,
    Array.from({ length: 1_200 }, () => ({ chatId, text: 'more' })),
  );
  let answer: ((result: SendResult) => void) | undefined;
  const given: string[] = [];
  const sender = start();
  const send = ({ id }: { id: string }) => (
    given.push(id),
    id === first ? new Promise<SendResult>((resolve) => (answer = resolve)) : sent()
  );
  sender.attach(await hold(instanceId, { ackTimeoutMs: 60_000, send }));
  await settled(first, 'sending');
  const count = await world.units.write((unit) => clearQueue(unit, world.workspaceId, instanceId));
  expect(count).toBe(1_201);
  const [later] = await world.queue(instanceId, [{ chatId, text: 'later' }]);
  const maintenance = createQueueMaintenance({
    db: database.db,
    units: world.units,
    log: LOG,
    wakeSender: sender.wake,
  });
  maintenance.start();
  answer!(sent());
  await settled(later!, 'sent');
  await vi.waitFor(
    async () => expect(await world.statuses(instanceId)).toEqual({ sent: 2, canceled: 1_201 }),
    PATIENCE,
  );
  await maintenance.stop();
  expect(faults).toEqual([]);
  expect(given).toEqual([first, later]);
  expect((await world.events('message.canceled')).length).toBe(1_201);
  expect((await world.message(next)).failed_as).toBe('canceled');
  expect((await world.message(more[0]!)).status).toBe('canceled');
  expect(
    await query('select length, cleared_through from instance_queues where instance_id = $1', [instanceId]),
  ).toEqual([{ length: 0, cleared_through: 0 }]);
});

test('a scheduled message joins its chat when it is due, behind what waits there', async () => {
  const { instanceId, chatId, next } = await queued();
  const [id] = await world.queue(instanceId, [{ chatId, text: 'scheduled' }], {
    scheduledAt: new Date(Date.now() - 1),
  });
  const woken: string[] = [];
  const maintenance = createQueueMaintenance({
    db: database.db,
    units: world.units,
    log: LOG,
    wakeSender: (one) => woken.push(one),
  });
  maintenance.start();
  await settled(id!, 'queued');
  await maintenance.stop();
  expect(faults).toEqual([]);
  expect(woken).toEqual([instanceId]);
  expect((await world.rows(instanceId)).map((row) => [row.id, row.due === 'infinity']).slice(1)).toEqual([
    [next, true],
    [id, true],
  ]);
  expect((await world.events('message.queued')).length).toBe(1);
});

describe('actions', () => {
  test('run in their chat, after earlier messages; rejections are reported', async () => {
    const { instanceId, chatId, first, next } = await queued();
    const done: string[] = [];
    const held = await hold(instanceId, {
      send: ({ id }) => (done.push(id), sent(`x-${id}`)),
      connection: {
        edit: async (_chat, { externalId, fromMe }, text) =>
          void done.push(`edit ${externalId} ${fromMe} ${text}`),
        react: async () => {
          throw new DriverError('rejected', 'too_late', 'It is too late.');
        },
        revoke: async (_chat, { externalId }) => void done.push(`revoke ${externalId}`),
      },
    });
    const act = (
      id: string,
      action: 'edit' | 'react' | 'revoke' | 'read',
      messageId: string,
      payload?: object,
    ) =>
      world.units.write((unit) =>
        enqueueAction(unit.db, world.workspaceId, instanceId, { id, action, chatId, messageId, payload }, 60),
      );
    const { newUuid } = await import('../../../platform/http/ids.ts');
    await act(newUuid(), 'edit', first, { text: 'better' });
    await act(newUuid(), 'react', first, { emoji: '👍' });
    await act(newUuid(), 'read', first);
    await act(newUuid(), 'revoke', next);
    await query(`update messages set pending_action = 'edit' where id = $1`, [first]);
    start().attach(held);
    await vi.waitFor(async () => expect(await world.rows(instanceId)).toEqual([]), PATIENCE);
    expect(done).toEqual([first, next, `edit x-${first} true better`, `revoke x-${next}`]);
    expect(await world.message(first)).toMatchObject({
      content: { body: 'better' },
      pending_action: null,
      // The last thing asked for can't be done by this channel.
      action_error: { action: 'read', code: 'unsupported_by_channel' },
    });
    expect(await world.message(next)).toMatchObject({ content: {}, status: 'sent' });
    expect((await world.events()).map(({ type }) => type)).toEqual([
      'message.sent',
      'message.sent',
      'message.edited',
      'message.deleted',
    ]);
  });
});

test('a message waits for its file and is then sent; one whose file is gone fails and blocks nothing', async () => {
  const instanceId = await world.addInstance();
  const [chatId, other] = await world.addChats(instanceId, ['one', 'two']);
  const { newUuid } = await import('../../../platform/http/ids.ts');
  const [pending, gone] = [newUuid(), newUuid()];
  await query(
    `insert into media (workspace_id, id, state, source_sealed, created_by, created_at, updated_at) values ($1, $2, 'pending', 'x', 'key', now(), now())`,
    [world.workspaceId, pending],
  );
  const [waits, behind, fails, fine] = await world.queue(instanceId, [
    { chatId: chatId!, text: 'caption', type: 'image', mediaId: pending },
    { chatId: chatId!, text: 'behind' },
    { chatId: other!, text: 'gone', type: 'image', mediaId: gone },
    { chatId: other!, text: 'fine' },
  ]);
  const given: unknown[] = [];
  start().attach(
    await hold(instanceId, {
      send: ({ content: { text, file } }) => (given.push([text, file?.size]), sent()),
    }),
  );
  await settled(fine!, 'sent');
  expect(await world.message(fails!)).toMatchObject({ status: 'failed', error: 'media_failed' });
  expect(await world.message(waits!)).toMatchObject({ status: 'queued', history: ['queued'] });
  await query(
    `update media set state = 'ready', mime_type = 'image/png', mime_family = 'image', size = 7, sha256 = sha256('x'), source_sealed = null where id = $1`,
    [pending],
  );
  await settled(behind!, 'sent');
  expect(given).toEqual([
    ['fine', undefined],
    ['caption', 7],
    ['behind', undefined],
  ]);
});
