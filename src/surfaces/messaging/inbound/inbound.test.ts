/** Tests that signals of channels are stored once, in order, and never move a message back. */
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { PATIENCE } from '../../../../test/support/patience.ts';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/db.ts';
import type { Units } from '../../../core/unit/unit-of-work.ts';
import { publicId } from '../../../core/vocabulary/ids.ts';
import { type SendResult } from '../../../channels/contract/connection.ts';
import { DriverError } from '../../../channels/contract/driver-error.ts';
import { HoldingLost } from '../connections/connection-lease.ts';
import {
  createWorld,
  getHolding,
  type ScriptedHolding,
  sent,
  startSender,
  type World,
} from '../../../../test/support/messaging/queue.ts';
import { heard, receipt, startInbound } from '../../../../test/support/messaging/inbound.ts';

let database: TestDatabase;
let world: World;
let instanceId: string;
let held: ScriptedHolding;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  world = await createWorld(database.db);
  instanceId = await world.addInstance();
  held = getHolding(world, instanceId, await world.take(instanceId), { send: () => sent() });
});

const query = async (text: string, values: unknown[] = []) => (await database.pool.query(text, values)).rows;
const messages = () => query('select * from messages where instance_id = $1 order by sequence', [instanceId]);
/** Returns the events of messages. */
const messageEvents = async () => (await world.events()).filter(({ type }) => type.startsWith('message.'));
const getTypes = async () => (await messageEvents()).map(({ type }) => type);

describe('messages in', () => {
  test('automated messages are marked, in the message and its event', async () => {
    const inbound = startInbound(world);
    const marks = ['auto_replied', 'auto_generated', 'list', null] as const;
    const signals = marks.map((automatic, nth) => heard(`a${nth}`, { automatic }));
    await inbound.apply(held, [...signals, heard('a4')], undefined);
    expect((await messages()).map(({ automatic }) => automatic)).toEqual([...marks, null]);
    const shown = (await messageEvents()).map(({ object }) => object['automatic']);
    expect(shown).toEqual([...marks, null]);
  });

  test('channel data besides the content is stored and shown until it is revoked', async () => {
    const inbound = startInbound(world);
    const product = { catalog_id: '1', product_retailer_id: 'a\0b' };
    const channelData = { referral: null, product, order: null };
    const huge = { ...channelData, product: { ...product, catalog_id: 'x'.repeat(300_000) } };
    const signals = [heard('p1', { channelData }), heard('p2', { channelData: huge }), heard('p3')];
    await inbound.apply(held, signals, undefined);
    const kept = { ...channelData, product: { ...product, product_retailer_id: 'a\ufffdb' } };
    expect((await messages()).map((row) => row.channel_data)).toEqual([kept, null, null]);
    const shown = (await messageEvents()).map(({ object }) => object['channel_data']);
    expect(shown).toMatchObject([{ ...kept, system: null, error: null }, null, null]);
    await inbound.apply(held, [{ kind: 'revoked', externalId: 'p1', at: new Date() }], undefined);
    expect((await messages())[0]).toMatchObject({ channel_data: null, deleted_at: expect.any(Date) });
  });

  test('a message has its chat, its contact, its event and its sequence number', async () => {
    const inbound = startInbound(world);
    await inbound.apply(held, [heard('x1', { fromName: 'Alice' }), heard('x2')], undefined);
    const rows = await messages();
    expect(rows).toMatchObject([
      {
        sequence: 1,
        direction: 'inbound',
        source: 'channel',
        status: 'received',
        external_id: 'x1',
        content: { body: 'text of x1' },
        from_address: 'alice',
      },
      { sequence: 2, external_id: 'x2' },
    ]);
    const [chat] = await query('select * from chats where instance_id = $1', [instanceId]);
    expect(chat).toMatchObject({ kind: 'direct', key: 'alice', unread: 2, last_message_id: rows[1].id });
    expect(chat.contact_id).toBe(rows[0].contact_id);
    expect(await query('select profile_name from contacts where id = $1', [chat.contact_id])).toEqual([
      { profile_name: 'Alice' },
    ]);
    const events = await world.events();
    expect(events[0]!.type).toBe('contact.created');
    expect(events.slice(1).map(({ type, id }) => [type, id])).toEqual(
      rows.map(({ id }) => ['message.received', publicId('message', id)]),
    );
    expect(events[1]!.object).toMatchObject({
      text: { body: 'text of x1' },
      status: 'received',
      sequence: 1,
    });
  });

  test('a message repeated in a batch, concurrently, or after a crash is stored once', async () => {
    const inbound = startInbound(world);
    const dying: Units = {
      ...world.units,
      write: (work) =>
        world.units.write(async (unit) => {
          await work(unit);
          throw new Error('the process dies here');
        }),
    };
    const failing = startInbound(world, { units: dying });
    await expect(failing.apply(held, [heard('x1'), heard('x2')], { at: 2 })).rejects.toThrow('dies here');
    expect(await messages()).toEqual([]);
    expect(await query('select position from connections where instance_id = $1', [instanceId])).toEqual([
      { position: null },
    ]);
    await Promise.all(
      Array.from({ length: 8 }, (_, nth) =>
        inbound.apply(held, [heard('x1'), heard('x2'), heard('x1')], { at: nth }),
      ),
    );
    expect((await messages()).map((row) => row.external_id)).toEqual(['x1', 'x2']);
    expect(await getTypes()).toEqual(['message.received', 'message.received']);
    expect(await query('select unread from chats where instance_id = $1', [instanceId])).toEqual([
      { unread: 2 },
    ]);
    expect(
      (await query('select last_sequence from instance_queues where instance_id = $1', [instanceId]))[0]
        .last_sequence,
    ).toBe(2);
  });

  test('a holder that lost the connection writes neither messages nor the position', async () => {
    const inbound = startInbound(world);
    await world.take(instanceId, await world.addNode());
    await expect(inbound.apply(held, [heard('x1')], undefined)).rejects.toThrow(HoldingLost);
    await expect(inbound.apply(held, [heard('x1')], { at: 1 })).rejects.toThrow(HoldingLost);
    expect(await messages()).toEqual([]);
    const [row] = await query('select position from connections where instance_id = $1', [instanceId]);
    expect(row.position).toBeNull();
  });

  test('text that the database rejects, and data of any shape, is stored as far as possible', async () => {
    const inbound = startInbound(world);
    await inbound.apply(
      held,
      [
        heard('x1', { text: `a\0b\ud800${'c'.repeat(100_000)}`, fromName: 'n\0', mentions: ['\0'] }),
        heard('x2', {
          type: 'location',
          text: null,
          data: { latitude: 1, longitude: 2, name: 'x\0y', evil: 'z' },
        }),
        heard('x3', { type: 'poll', text: 'fallback', data: null }),
      ],
      undefined,
    );
    const [one, two, three] = await messages();
    expect(one.content.body).toMatch(/^a\ufffdb\ufffdc+$/);
    expect(one.content.body).toHaveLength(65_536);
    expect(two).toMatchObject({
      type: 'location',
      content: { latitude: 1, longitude: 2, name: 'x\ufffdy', address: null },
    });
    expect(two.content).not.toHaveProperty('evil');
    expect(three).toMatchObject({ type: 'text', content: { body: 'fallback' } });
    expect(inbound.logged).toEqual([]);
  });

  test('direct messages of blocked contacts are neither stored nor reported', async () => {
    const inbound = startInbound(world);
    await inbound.apply(held, [heard('x1')], undefined);
    await query('update contacts set blocked = true where workspace_id = $1', [world.workspaceId]);
    const group = { kind: 'group', key: 'club', address: 'club', title: 'Club' } as const;
    // Like an email with a Reply-To of someone else.
    const other = { kind: 'direct', key: 'bob', address: 'bob', title: null } as const;
    const behindOther = heard('x4', { chat: other });
    await inbound.apply(held, [heard('x2'), heard('x3', { chat: group }), behindOther], { at: 1 });
    expect((await messages()).map((row) => row.external_id)).toEqual(['x1', 'x3']);
    expect(await getTypes()).toEqual(['message.received', 'message.received']);
  });

  test('the author is the contact, even if replies go to someone else', async () => {
    const inbound = startInbound(world);
    await inbound.apply(held, [heard('x1', { fromName: 'Alice' })], undefined);
    const chat = { kind: 'direct', key: 'thread', address: 'alice', title: null } as const;
    const asAlice = { chat, from: 'mallory', fromName: 'Mallory' };
    await inbound.apply(held, [heard('x2', asAlice), heard('x3', asAlice)], undefined);
    const [own, first, second] = await messages();
    expect([first.from_address, first.contact_id]).toEqual(['mallory', second.contact_id]);
    expect(first.contact_id).not.toBe(own.contact_id);
    const [made] = await query("select * from chats where instance_id = $1 and key = 'thread'", [instanceId]);
    expect(made).toMatchObject({ address: 'alice', contact_id: first.contact_id });
    const names = await query('select profile_name from contacts where id = $1', [own.contact_id]);
    expect(names).toEqual([{ profile_name: 'Alice' }]);
  });

  test("whom the account's own list has becomes a contact, once; others by their names alone", async () => {
    const inbound = startInbound(world);
    const listed = (address: string, name: string | null) =>
      ({ kind: 'profile', address, name, isContact: true }) as const;
    await inbound.apply(held, [heard('x1', { from: 'alice', fromName: 'Alice' })], undefined);
    const all = [listed('alice', null), listed('bob', 'Bob'), listed('bob', 'Bob'), listed('carol', null)];
    await inbound.apply(held, [...all, { kind: 'profile', address: 'eve', name: 'Eve' }], undefined);
    await inbound.apply(held, all, undefined);
    const known = await query(
      `select i.address, c.profile_name from contact_identities i
       join contacts c on c.workspace_id = i.workspace_id and c.id = i.contact_id
       where i.instance_id = $1 order by 1`,
      [instanceId],
    );
    expect(known).toEqual([
      { address: 'alice', profile_name: 'Alice' },
      { address: 'bob', profile_name: 'Bob' },
      { address: 'carol', profile_name: null },
    ]);
  });

  test('a reply names the message it replies to: ours, theirs, or an unknown one', async () => {
    const inbound = startInbound(world);
    await inbound.apply(
      held,
      [
        heard('x1'),
        heard('x2', { replyTo: { externalId: 'x1' } }),
        heard('x3', { replyTo: { externalId: 'elsewhere' } }),
      ],
      undefined,
    );
    const [one, two, three] = await messages();
    expect(two).toMatchObject({ reply_to: one.id, reply_to_external_id: null });
    expect(three).toMatchObject({ reply_to: null, reply_to_external_id: 'elsewhere' });
  });
});

describe('own messages', () => {
  test('messages written on another device are outbound, and never received', async () => {
    const inbound = startInbound(world);
    await inbound.apply(held, [heard('x1', { fromMe: true, from: 'me', to: 'alice' })], undefined);
    expect(await messages()).toMatchObject([{ direction: 'outbound', source: 'channel', status: 'sent' }]);
    expect(await getTypes()).toEqual(['message.sent']);
    expect(await query('select unread from chats where instance_id = $1', [instanceId])).toEqual([
      { unread: 0 },
    ]);
  });

  test('copies of messages we sent are not separate messages, whether they arrive before or after the response', async () => {
    const inbound = startInbound(world);
    const [chatId] = await world.addChats(instanceId, ['alice']);
    const [early, late] = await world.queue(instanceId, [
      { chatId: chatId!, text: 'early' },
      { chatId: chatId!, text: 'late' },
    ]);
    const copy = (id: string, externalId: string) =>
      heard(externalId, { fromMe: true, from: 'me', clientId: publicId('message', id) });
    held = getHolding(world, instanceId, held.epoch, {
      async send({ id }) {
        if (id === early) await inbound.apply(held, [copy(id, 'x-early')], undefined);
        return sent(id === early ? 'x-early' : 'x-late');
      },
    });
    const sender = startSender(world);
    sender.attach(held);
    await vi.waitFor(async () => expect(await world.statuses(instanceId)).toEqual({ sent: 2 }), PATIENCE);
    await inbound.apply(held, [copy(late!, 'x-late'), copy(early!, 'x-early')], undefined);
    expect((await messages()).map(({ external_id: externalId, source }) => [externalId, source])).toEqual([
      ['x-early', 'api'],
      ['x-late', 'api'],
    ]);
    expect((await world.message(early!)).history).toEqual(['queued', 'sending', 'sent']);
    expect((await world.events('message.sent')).length).toBe(2);
    await sender.stop();
  });

  test("a client id of another instance's message is anybody's word: it moves nothing", async () => {
    const inbound = startInbound(world);
    const other = await world.addInstance();
    const [chatId] = await world.addChats(other, ['alice']);
    const [id] = await world.queue(other, [{ chatId: chatId!, text: 'theirs' }]);
    await inbound.apply(
      held,
      [receipt({ id: id! }, 'read'), heard('x1', { fromMe: true, clientId: publicId('message', id!) })],
      undefined,
    );
    expect((await world.message(id!)).status).toBe('queued');
    expect(await messages()).toMatchObject([{ external_id: 'x1', source: 'channel' }]);
  });
});

describe('signals about messages', () => {
  const send = async (result: Partial<SendResult> = {}, sendIt?: () => Promise<SendResult>) => {
    const inbound = startInbound(world);
    const [chatId] = await world.addChats(instanceId, ['alice']);
    const [id] = await world.queue(instanceId, [{ chatId: chatId!, text: 'hello' }]);
    held = getHolding(world, instanceId, held.epoch, {
      send: sendIt ?? (() => ({ ...sent('x1'), ...result })),
    });
    const sender = startSender(world, { onCompleted: inbound.settled });
    sender.attach(held);
    return { inbound, sender, id: id! };
  };
  const settled = (id: string, status = 'sent') =>
    vi.waitFor(async () => expect((await world.message(id)).status).toBe(status), PATIENCE);

  test('receipts apply by external ID and by client ID; later receipts of a lower status change nothing', async () => {
    const { inbound, sender, id } = await send();
    await settled(id);
    await inbound.apply(held, [receipt({ externalId: 'x1' }, 'read')], undefined);
    await inbound.apply(
      held,
      [receipt({ id }, 'delivered'), receipt({ id }, 'sent'), receipt({ id }, 'failed')],
      undefined,
    );
    expect(await world.message(id)).toMatchObject({
      history: ['queued', 'sending', 'sent', 'read'],
      delivered_at: null,
      error: null,
    });
    expect((await getTypes()).filter((type) => type !== 'message.queued')).toEqual([
      'message.sent',
      'message.read',
    ]);
    await sender.stop();
  });

  test('the price is stored once, with its status, and reported with it', async () => {
    const { inbound, sender, id } = await send();
    await settled(id);
    const pricing = { category: 'utility', isBillable: true };
    for (const status of ['sent', 'sent', 'delivered'] as const)
      await inbound.apply(held, [receipt({ externalId: 'x1' }, status, { pricing })], undefined);
    await inbound.apply(held, [receipt({ externalId: 'x1' }, 'read')], undefined);
    const noted = { category: 'utility', billable: true };
    const [row] = await query('select status_history from messages where id = $1', [id]);
    const history = row.status_history as { status: string; pricing?: object }[];
    expect(history.map(({ status, pricing: priced }) => [status, priced])).toEqual([
      ['queued', undefined],
      ['sending', undefined],
      ['sent', noted],
      ['delivered', noted],
      ['read', undefined],
    ]);
    const delivered = (await messageEvents()).find(({ type }) => type === 'message.delivered')!;
    expect(delivered.object).toMatchObject({
      status_history: expect.arrayContaining([
        expect.objectContaining({ status: 'delivered', pricing: noted }),
      ]),
    });
    await sender.stop();
  });

  test('a receipt that arrives before the response to the send waits for it', async () => {
    let answer: ((result: SendResult) => void) | undefined;
    const { inbound, sender, id } = await send({}, () => new Promise((resolve) => (answer = resolve)));
    await settled(id, 'sending');
    await inbound.apply(held, [receipt({ externalId: 'x1' }, 'delivered')], undefined);
    expect((await world.message(id)).status).toBe('sending');
    answer!(sent('x1'));
    await settled(id, 'delivered');
    expect((await world.message(id)).history).toEqual(['queued', 'sending', 'sent', 'delivered']);
    await sender.stop();
  });

  test("what somebody tells of nobody's messages does not push out what overtook its send", async () => {
    let answer: ((result: SendResult) => void) | undefined;
    const { inbound, sender, id } = await send({}, () => new Promise((resolve) => (answer = resolve)));
    await settled(id, 'sending');
    await inbound.apply(held, [receipt({ externalId: 'x1' }, 'delivered', { heardIn: 'alice' })], undefined);
    const made = (nth: number) => receipt({ externalId: `none-${nth}` }, 'read', { heardIn: 'mallory' });
    const flood = Array.from({ length: 1_500 }, (_, nth) => made(nth));
    for (let nth = 0; nth < flood.length; nth += 100)
      await inbound.apply(held, flood.slice(nth, nth + 100), undefined);
    expect(inbound.logged).toContain('inbound: dropped signals about unknown messages');
    answer!(sent('x1'));
    await settled(id, 'delivered');
    await sender.stop();
  });

  test('a bounced message has failed; a delivered one has not', async () => {
    const { inbound, sender, id } = await send();
    await settled(id);
    await inbound.apply(held, [receipt({ externalId: 'x1' }, 'failed')], undefined);
    expect(await world.message(id)).toMatchObject({
      history: ['queued', 'sending', 'sent', 'failed'],
      error: 'mailbox_full',
      failed_as: 'failed',
    });
    await sender.stop();
  });

  test('late information overrides delivery_unknown', async () => {
    const { inbound, sender, id } = await send({}, () =>
      Promise.reject(new DriverError('rejected', 'delivery_unknown', 'Nobody knows.')),
    );
    await settled(id, 'failed');
    await inbound.apply(held, [receipt({ id, externalId: 'x9' }, 'delivered')], undefined);
    expect(await world.message(id)).toMatchObject({
      status: 'delivered',
      error: null,
      failed_as: null,
      external_id: 'x9',
    });
    await sender.stop();
  });

  test('reading one message reads all earlier ones, if the channel says so', async () => {
    const inbound = startInbound(world);
    const own = ['x1', 'x2', 'x3'].map((id) => heard(id, { fromMe: true, from: 'me' }));
    await inbound.apply(held, [...own, heard('y1')], undefined);
    await inbound.apply(held, [receipt({ externalId: 'x2' }, 'read', { upTo: true })], undefined);
    expect((await messages()).map(({ status }) => status)).toEqual(['read', 'read', 'sent', 'received']);
  });

  test('pins emit one event each; a revoked message is not pinned', async () => {
    const inbound = startInbound(world);
    const at = new Date();
    const pin = (isPinned: boolean) => ({ kind: 'pinned', externalId: 'x1', isPinned, at }) as const;
    await inbound.apply(held, [heard('x1')], undefined);
    await inbound.apply(held, [pin(true), pin(true), pin(false), pin(true)], undefined);
    expect((await messages())[0]).toMatchObject({ pinned: true, edited_at: null });
    const revoked = { kind: 'revoked', externalId: 'x1', at } as const;
    await inbound.apply(held, [revoked, pin(true)], undefined);
    const told = (await messageEvents()).map(({ object }) => object['pinned']);
    expect(told).toEqual([false, true, false, true, false]);
    expect((await messages())[0]).toMatchObject({ pinned: false, deleted_at: expect.any(Date) });
  });

  test('edits, revocations and reactions emit one event each', async () => {
    const inbound = startInbound(world);
    const at = new Date();
    const reacted = {
      kind: 'reacted',
      externalId: 'x1',
      clientId: null,
      author: 'alice',
      fromMe: false,
      at,
    } as const;
    await inbound.apply(held, [heard('x1'), heard('x2')], undefined);
    const news = [
      { kind: 'edited', externalId: 'x1', changeId: null, text: 'better', at },
      { ...reacted, emoji: '👍' },
      { ...reacted, emoji: '❤️' },
      { kind: 'revoked', externalId: 'x2', at },
    ] as const;
    await inbound.apply(held, [...news], undefined);
    await inbound.apply(held, [news[0], news[2], news[3]], undefined);
    expect(await messages()).toMatchObject([
      { content: { body: 'better' }, search_text: 'better' },
      { content: {}, search_text: null },
    ]);
    const events = (await messageEvents()).slice(2);
    expect(events.map(({ type }) => type)).toEqual([
      'message.edited',
      'message.reaction',
      'message.reaction',
      'message.deleted',
    ]);
    expect(events[2]!.object['reactions']).toMatchObject([{ emoji: '❤️', from: 'alice', from_me: false }]);
    expect(events[3]!.object).toMatchObject({ text: null });
    await inbound.apply(held, [{ ...reacted, emoji: null }], undefined);
    expect(
      await query('select 1 from message_reactions where workspace_id = $1', [world.workspaceId]),
    ).toEqual([]);
  });

  test('a status never moves back, whatever the order of signals', async () => {
    const inbound = startInbound(world);
    const rank: Record<string, number> = { sent: 1, delivered: 2, read: 3 };
    let nth = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('sent', 'delivered', 'read', 'failed', 'copy'), {
          minLength: 1,
          maxLength: 6,
        }),
        fc.boolean(),
        async (told, inOneBatch) => {
          const externalId = `told-in-any-order-${nth++}`;
          await inbound.apply(held, [heard(externalId, { fromMe: true, from: 'me' })], undefined);
          const signals = told.map((what) =>
            what === 'copy' ? heard(externalId, { fromMe: true, from: 'me' }) : receipt({ externalId }, what),
          );
          if (inOneBatch) await inbound.apply(held, signals, undefined);
          else for (const signal of signals) await inbound.apply(held, [signal], undefined);
          const [row] = await query('select * from messages where external_id = $1', [externalId]);
          const history: string[] = row.status_history.map(({ status }: { status: string }) => status);
          expect(history.at(-1)).toBe(row.status);
          for (const [index, status] of history.entries())
            if (index > 0 && status !== 'failed')
              expect(rank[status]).toBeGreaterThan(rank[history[index - 1]!]!);
          if (told.includes('read') && !told.slice(0, told.indexOf('read')).includes('failed'))
            expect(row.status).toBe('read');
        },
      ),
      { numRuns: 40 },
    );
  });
});
