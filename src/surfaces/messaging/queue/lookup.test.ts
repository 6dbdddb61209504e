/** Tests that lookups at the channel decide what is sent again: found, not found, or unknown. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { PATIENCE } from '../../../../test/support/patience.ts';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/db.ts';
import { publicId } from '../../../core/vocabulary/ids.ts';
import type { SendResult } from '../../../channels/contract/connection.ts';
import { DriverError } from '../../../channels/contract/driver-error.ts';
import { heard, startInbound } from '../../../../test/support/messaging/inbound.ts';
import type { Sender } from './sender.ts';
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
const senders: Sender[] = [];
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  world = await createWorld(database.db);
});
afterEach(async () => {
  for (const sender of senders.splice(0)) await sender.stop();
});

const hang = () => new Promise<SendResult>(() => {});
const settled = (id: string, status: string) =>
  vi.waitFor(async () => expect((await world.message(id)).status).toBe(status), PATIENCE);

type LookUp = () => Promise<SendResult | 'unknown' | null>;

/** Queues a message, and another one after it in its chat. */
async function queued(resendUnknown = false) {
  const instanceId = await world.addInstance({ resendUnknown });
  const [chatId] = await world.addChats(instanceId, ['alice']);
  const texts = ['first', 'next'].map((text) => ({ chatId: chatId!, text }));
  const [first, next] = await world.queue(instanceId, texts);
  return { instanceId, first: first!, next: next! };
}

/** Opens a connection that supports lookups, and records the messages that it sends. */
async function connect(instanceId: string, lookup: LookUp, more: Partial<Script> = {}) {
  const given: string[] = [];
  const { send = ({ id }) => sent(`x-${id}`), connection, ...script } = more;
  const held = getHolding(world, instanceId, await world.take(instanceId), {
    resend: 'lookup',
    ...script,
    send: (message, signal) => (given.push(message.id), send(message, signal)),
    connection: { lookup, ...connection },
  });
  const sender = startSender(world);
  senders.push(sender);
  sender.attach(held);
  return { given, held, sender };
}

/** Passes a message to the channel and simulates the death of the process. */
async function died(resendUnknown = false) {
  const one = await queued(resendUnknown);
  const { sender } = await connect(one.instanceId, async () => null, { ackTimeoutMs: 60_000, send: hang });
  await settled(one.first, 'sending');
  senders.splice(senders.indexOf(sender), 1);
  await sender.stop();
  return one;
}

describe('a holder died while sending', () => {
  test('found: it is sent, with the ID that the channel has for it', async () => {
    const { instanceId, first, next } = await died();
    const at = new Date(Date.now() - 60_000);
    const { given } = await connect(instanceId, async () => ({
      externalId: 'x-found',
      status: 'delivered',
      at,
    }));
    await settled(next, 'sent');
    expect(given).toEqual([next]);
    expect(await world.message(first)).toMatchObject({
      history: ['queued', 'sending', 'delivered'],
      external_id: 'x-found',
      delivered_at: at,
    });
  });

  test('not found: it is sent, once, before the next of its chat', async () => {
    const { instanceId, first, next } = await died();
    let asked = 0;
    const { given } = await connect(instanceId, async () => (asked++, null));
    await settled(next, 'sent');
    expect([asked, given]).toEqual([1, [first, next]]);
    expect((await world.message(first)).history).toEqual(['queued', 'sending', 'sent']);
  });

  test('unknown: it fails as unknown; the next one is sent', async () => {
    const { instanceId, first, next } = await died();
    const { given } = await connect(instanceId, async () => 'unknown');
    await settled(next, 'sent');
    expect(given).toEqual([next]);
    expect(await world.message(first)).toMatchObject({
      status: 'failed',
      error: 'delivery_unknown',
      error_retryable: true,
    });
  });

  test('unknown, and the instance resends: it is sent again', async () => {
    const { instanceId, first, next } = await died(true);
    const { given } = await connect(instanceId, async () => 'unknown');
    await settled(next, 'sent');
    expect(given).toEqual([first, next]);
  });

  test('a rejected lookup means unknown, not a rejection of the message', async () => {
    const refused = () => Promise.reject(new DriverError('rejected', 'forbidden', 'Not for you.'));
    const one = await died();
    const { held } = await connect(one.instanceId, refused);
    await settled(one.next, 'sent');
    expect(await world.message(one.first)).toMatchObject({ status: 'failed', error: 'delivery_unknown' });
    expect(held.reported).toEqual([]);
    const other = await died(true);
    const { given } = await connect(other.instanceId, refused);
    await settled(other.next, 'sent');
    expect(given).toEqual([other.first, other.next]);
  });

  test('a channel too busy for a lookup is asked again, and nothing is sent before it responds', async () => {
    const { instanceId, first, next } = await died();
    let asked = 0;
    const lookup = async () => {
      if (++asked < 3) throw new DriverError('busy', 'slow_down', 'Later.', { retryAfterMs: 20 });
      return sent('x-found');
    };
    const { given } = await connect(instanceId, lookup);
    await settled(next, 'sent');
    expect([asked, given]).toEqual([3, [next]]);
    expect((await world.message(first)).history).toEqual(['queued', 'sending', 'sent']);
  });

  test('a connection that is lost during a lookup leaves the message uncertain', async () => {
    const { instanceId, first } = await died();
    const lost = () => Promise.reject(new DriverError('lost', 'cut', 'It is gone.'));
    const { held, given } = await connect(instanceId, lost);
    await vi.waitFor(() => expect(held.reported.map(({ code }) => code)).toContain('cut'), PATIENCE);
    await vi.waitFor(
      async () =>
        expect((await world.rows(instanceId))[0]).toMatchObject({ uncertain: true, claimed_epoch: null }),
      PATIENCE,
    );
    expect(given).toEqual([]);
    expect((await world.message(first)).status).toBe('sending');
  });

  test('without a response to a lookup, the message waits and a connection that receives stays open', async () => {
    const { instanceId, first } = await died();
    let asked = 0;
    const { held, given } = await connect(instanceId, () => (asked++, new Promise(() => {})), {
      ackTimeoutMs: 50,
    });
    await vi.waitFor(async () => {
      expect(asked).toBeGreaterThan(1);
      expect((await world.rows(instanceId))[0]).toMatchObject({ uncertain: true, claimed_epoch: null });
    }, PATIENCE);
    expect([given, held.reported]).toEqual([[], []]);
    expect((await world.message(first)).status).toBe('sending');
  });

  test('a driver error during a lookup is logged, keeps the connection open, and sends nothing twice', async () => {
    const { instanceId, first, next } = await died();
    let asked = 0;
    const lookup = async () => {
      if (++asked <= 2) throw new TypeError('a fault of the program');
      return sent('x-found');
    };
    const { held, given, sender } = await connect(instanceId, lookup);
    await settled(next, 'sent');
    expect(given).toEqual([next]);
    expect((await world.message(first)).external_id).toBe('x-found');
    expect(held.reported).toEqual([]);
    expect(sender.logged.join()).toContain('a fault of the program');
  });
});

describe('no response in time', () => {
  const firstHangs =
    (first: string) =>
    ({ id }: { id: string }) =>
      id === first ? hang() : sent(`x-${id}`);

  test('unknown: it fails as unknown, and reports that there was no response', async () => {
    const { instanceId, first, next } = await queued();
    const { given } = await connect(instanceId, async () => 'unknown', {
      ackTimeoutMs: 50,
      send: firstHangs(first),
    });
    await settled(next, 'sent');
    expect(given).toEqual([first, next]);
    expect(await world.message(first)).toMatchObject({ status: 'failed', error: 'delivery_unknown' });
  });

  test('unknown, and the instance resends: sent again, without being queued in between', async () => {
    const { instanceId, first, next } = await queued(true);
    let tries = 0;
    const { given } = await connect(instanceId, async () => 'unknown', {
      ackTimeoutMs: 50,
      send: ({ id }) => (id === first && ++tries === 1 ? hang() : sent(`x-${id}`)),
    });
    await settled(next, 'sent');
    expect(given).toEqual([first, first, next]);
    expect((await world.message(first)).history).toEqual(['queued', 'sending', 'sent']);
  });

  test('a message resent without certainty stays uncertain if the resend is temporarily rejected', async () => {
    const { instanceId, first } = await queued(true);
    let tries = 0;
    await connect(instanceId, async () => 'unknown', {
      ackTimeoutMs: 50,
      send: () => {
        if (++tries === 1) return hang();
        throw new DriverError('lost', 'cut', 'Nothing was accepted this time.');
      },
    });
    await vi.waitFor(async () => {
      expect(tries).toBeGreaterThan(1);
      expect((await world.rows(instanceId))[0]).toMatchObject({ uncertain: true, claimed_epoch: null });
    }, PATIENCE);
    expect((await world.message(first)).history).toEqual(['queued', 'sending']);
  });

  test('a message that the channel never received is queued and sent again', async () => {
    const { instanceId, first, next } = await queued();
    let tries = 0;
    await connect(instanceId, async () => null, {
      ackTimeoutMs: 50,
      send: ({ id }) => (id === first && ++tries === 1 ? hang() : sent(`x-${id}`)),
    });
    await settled(next, 'sent');
    expect((await world.message(first)).history).toEqual(['queued', 'sending', 'queued', 'sending', 'sent']);
  });
});

describe('a late copy', () => {
  const copy = (id: string) =>
    heard('x-copy', { uniqueId: 'u-copy', fromMe: true, from: 'me', clientId: publicId('message', id) });

  test('wins over delivery_unknown', async () => {
    const { instanceId, first, next } = await died();
    const { held } = await connect(instanceId, async () => 'unknown');
    await settled(next, 'sent');
    await startInbound(world).apply(held, [copy(first)], undefined);
    expect(await world.message(first)).toMatchObject({
      history: ['queued', 'sending', 'failed', 'sent'],
      error: null,
      external_id: 'x-copy',
    });
  });

  test('removes a message that waits for a lookup from the queue, so it is not sent again', async () => {
    const { instanceId, first, next } = await died();
    const looks: (() => void)[] = [];
    const busy = new DriverError('busy', 'slow_down', 'Later.', { retryAfterMs: 60_000 });
    const lookup = () => (looks.push(() => {}), Promise.reject(busy));
    const { held, given } = await connect(instanceId, lookup);
    await vi.waitFor(
      async () =>
        expect((await world.rows(instanceId))[0]).toMatchObject({ uncertain: true, claimed_epoch: null }),
      PATIENCE,
    );
    await startInbound(world).apply(held, [copy(first)], undefined);
    await settled(next, 'sent');
    expect([looks.length, given]).toEqual([1, [next]]);
    expect((await world.message(first)).history).toEqual(['queued', 'sending', 'sent']);
  });
});
