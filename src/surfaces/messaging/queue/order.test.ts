/** Tests that messages of a chat arrive in order, once, whatever the channel does; chats don't wait for each other. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { PATIENCE } from '../../../../test/support/patience.ts';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/db.ts';
import { toUuid } from '../../../core/vocabulary/ids.ts';
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
beforeAll(async () => {
  database = await createTestDatabase();
  world = await createWorld(database.db);
});
afterAll(() => database.drop());

/** `npm run soak send-order` tries more. */
const MESSAGES = Number(process.env.ORDERED_MESSAGES ?? 1_000);
const CHATS = MESSAGES > 1_000 ? 100 : 20;
const getAddresses = (count: number) => Array.from({ length: count }, (_, nth) => `a${nth}`);

describe('order', () => {
  test(
    'messages in many chats, every fourth temporarily rejected, arrive once and in order in each chat',
    { timeout: 30_000 + 60 * MESSAGES },
    async () => {
      const instanceId = await world.addInstance();
      const chats = await world.addChats(instanceId, getAddresses(CHATS));
      const texts = Array.from({ length: MESSAGES }, (_, nth) => ({
        chatId: chats[nth % CHATS]!,
        text: String(nth),
      }));
      const arrived = new Map<string, number[]>();
      let random = 7;
      const held = getHolding(world, instanceId, await world.take(instanceId), {
        async send({ chat, content }) {
          random = (random * 16_807) % 2_147_483_647;
          if (random % 4 === 0)
            throw new DriverError('busy', 'try_later', 'Not now.', { retryAfterMs: 1 + (random % 5) });
          await new Promise((resolve) => setTimeout(resolve, random % 3));
          arrived.set(chat.address, [...(arrived.get(chat.address) ?? []), Number(content.text)]);
          return sent(`${chat.address}/${content.text}`);
        },
      });
      const sender = startSender(world);
      sender.attach(held);
      await world.queue(instanceId, texts.slice(0, MESSAGES / 2));
      await world.queue(instanceId, texts.slice(MESSAGES / 2));
      sender.wake(instanceId);
      await vi.waitFor(async () => expect(await world.statuses(instanceId)).toEqual({ sent: MESSAGES }), {
        timeout: 20_000 + 50 * MESSAGES,
        interval: 100,
      });
      for (const numbers of arrived.values()) expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
      expect([...arrived.values()].flat().toSorted((a, b) => a - b)).toEqual(texts.map((_, nth) => nth));
      expect(await world.rows(instanceId)).toEqual([]);
      expect(
        await database.db
          .selectFrom('instance_queues')
          .select('length')
          .where('instance_id', '=', instanceId)
          .executeTakeFirst(),
      ).toEqual({ length: 0 });
      expect((await world.events('message.sent')).length).toBe(MESSAGES);
      expect(sender.logged).toEqual([]);
      await sender.stop();
    },
  );

  test('a permanently rejected message lets the next one of its chat follow, and sent messages have their history', async () => {
    const instanceId = await world.addInstance();
    const [chatId] = await world.addChats(instanceId, ['one']);
    const held = getHolding(world, instanceId, await world.take(instanceId), {
      send({ content }) {
        if (content.text === 'bad')
          throw new DriverError('rejected', 'recipient_unknown', 'There is no such recipient.');
        return { ...sent('x1'), status: 'delivered' };
      },
    });
    const [bad, good] = await world.queue(instanceId, [
      { chatId: chatId!, text: 'bad' },
      { chatId: chatId!, text: 'good' },
    ]);
    const sender = startSender(world);
    sender.attach(held);
    await vi.waitFor(async () => expect((await world.message(good!)).status).toBe('delivered'), PATIENCE);
    expect(await world.message(bad!)).toMatchObject({
      history: ['queued', 'sending', 'failed'],
      error: 'recipient_unknown',
      error_retryable: false,
      failed_as: 'failed',
    });
    expect(await world.message(good!)).toMatchObject({
      history: ['queued', 'sending', 'delivered'],
      external_id: 'x1',
      from_address: 'me',
    });
    await sender.stop();
  });

  test('unresponsive recipients and rejected chats do not delay other chats', async () => {
    const instanceId = await world.addInstance();
    const chats = await world.addChats(instanceId, ['never', 'refused', 'fine']);
    const arrived: string[] = [];
    const held = getHolding(world, instanceId, await world.take(instanceId), {
      ackTimeoutMs: 60_000,
      send({ chat, content }) {
        if (chat.address === 'never') return new Promise(() => {});
        if (chat.address === 'refused')
          throw new DriverError('busy', 'try_later', 'Not now.', { retryAfterMs: 60_000 });
        arrived.push(content.text!);
        return sent();
      },
    });
    const texts = Array.from({ length: 90 }, (_, nth) => ({ chatId: chats[nth % 3]!, text: String(nth) }));
    await world.queue(instanceId, texts);
    const sender = startSender(world);
    sender.attach(held);
    await vi.waitFor(async () => expect((await world.statuses(instanceId))['sent']).toBe(30), PATIENCE);
    expect(arrived).toEqual(texts.filter((_, nth) => nth % 3 === 2).map(({ text }) => text));
    expect(await world.statuses(instanceId)).toEqual({ sent: 30, sending: 1, queued: 59 });
    held.abort();
    await sender.stop();
  });
});

describe('pace', () => {
  test('sends no faster, in total and per chat, than the channel allows', async () => {
    const instanceId = await world.addInstance();
    const chats = await world.addChats(instanceId, getAddresses(5));
    const times: { chat: string; at: number }[] = [];
    const held = getHolding(world, instanceId, await world.take(instanceId), {
      pacing: { perSecond: 20, perChat: 5, concurrency: 4 },
      send({ chat }) {
        times.push({ chat: chat.address, at: performance.now() });
        return sent();
      },
    });
    await world.queue(
      instanceId,
      Array.from({ length: 25 }, (_, nth) => ({ chatId: chats[nth % 5]!, text: 'x' })),
    );
    const sender = startSender(world);
    sender.attach(held);
    await vi.waitFor(async () => expect(await world.statuses(instanceId)).toEqual({ sent: 25 }), PATIENCE);
    // 25 at 20 a second, except for the burst after a pause; execute() may send two within a few ms.
    expect(times.at(-1)!.at - times[0]!.at).toBeGreaterThan(900);
    for (const list of Map.groupBy(times, ({ chat }) => chat).values())
      for (const [nth, { at }] of list.entries())
        if (nth > 0) expect(at - list[nth - 1]!.at).toBeGreaterThan(150);
    await sender.stop();
  });
});

test('a message has the same client ID for every attempt', async () => {
  const instanceId = await world.addInstance();
  const [chatId] = await world.addChats(instanceId, ['one']);
  const ids: string[] = [];
  const held = getHolding(world, instanceId, await world.take(instanceId), {
    send({ clientId, attempt }) {
      ids.push(clientId);
      if (attempt < 2) throw new DriverError('busy', 'try_later', 'Not now.', { retryAfterMs: 1 });
      return sent();
    },
  });
  const [id] = await world.queue(instanceId, [{ chatId: chatId!, text: 'x' }]);
  const sender = startSender(world);
  sender.attach(held);
  await vi.waitFor(async () => expect((await world.message(id!)).status).toBe('sent'), PATIENCE);
  expect(ids.map((one) => toUuid('message', one))).toEqual([id, id, id]);
  expect((await world.message(id!)).history).toEqual([
    'queued',
    'sending',
    'queued',
    'sending',
    'queued',
    'sending',
    'sent',
  ]);
  await sender.stop();
});
