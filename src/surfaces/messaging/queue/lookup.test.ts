/** What a channel can be asked of decides what is sent again: found, not found, or not to be known. */
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

/** One message, and another behind it in its chat. */
async function queued(resendUnknown = false) {
  const instanceId = await world.addInstance({ resendUnknown });
  const [chatId] = await world.addChats(instanceId, ['alice']);
  const texts = ['first', 'next'].map((text) => ({ chatId: chatId!, text }));
  const [first, next] = await world.queue(instanceId, texts);
  return { instanceId, first: first!, next: next! };
}

/** A connection that looks up, and what it was given to send. */
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

/** Given to the channel, when the process was gone. */
async function died(resendUnknown = false) {
  const one = await queued(resendUnknown);
  const { sender } = await connect(one.instanceId, async () => null, { ackTimeoutMs: 60_000, send: hang });
  await settled(one.first, 'sending');
  senders.splice(senders.indexOf(sender), 1);
  await sender.stop();
  return one;
}

describe('a holder died while it sent', () => {
  test('found: it is sent, under the name that the channel has for it', async () => {
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

  test('not to be known: it fails as that; the next goes', async () => {
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

  test('not to be known, and the instance says resend: it is sent again', async () => {
    const { instanceId, first, next } = await died(true);
    const { given } = await connect(instanceId, async () => 'unknown');
    await settled(next, 'sent');
    expect(given).toEqual([first, next]);
  });

  test('a look-up that is refused is one that can not be known, and no refusal of the message', async () => {
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

  test('a channel too busy to look is asked again, and nothing is sent before it has answered', async () => {
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

  test('a connection that is lost while it looks leaves the message as uncertain as it was', async () => {
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

  test('a look-up that is never answered on a connection that hears: it waits, and the connection stays', async () => {
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

  test('a driver that fails at it is told of, keeps its connection, and sends nothing twice', async () => {
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

describe('no answer in time', () => {
  const firstHangs =
    (first: string) =>
    ({ id }: { id: string }) =>
      id === first ? hang() : sent(`x-${id}`);

  test('not to be known: it fails as that, and says that it had no answer', async () => {
    const { instanceId, first, next } = await queued();
    const { given } = await connect(instanceId, async () => 'unknown', {
      ackTimeoutMs: 50,
      send: firstHangs(first),
    });
    await settled(next, 'sent');
    expect(given).toEqual([first, next]);
    expect(await world.message(first)).toMatchObject({ status: 'failed', error: 'delivery_unknown' });
  });

  test('not to be known, and the instance says resend: sent again, and never said to be queued meanwhile', async () => {
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

  test('what was sent again without knowing stays uncertain when that is refused for now', async () => {
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

  test('what the channel never got goes again, and has been queued meanwhile', async () => {
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

describe('the own copy that comes late', () => {
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

  test('takes what still waits to be looked up out of the queue: it is not sent again', async () => {
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
