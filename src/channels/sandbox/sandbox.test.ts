import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { statementsSent } from '../../platform/db/database.ts';
import { getType } from '../../surfaces/messaging/media/media-type.ts';
import { getFile } from '../../../test/conformance/suite/samples.ts';
import { deleteOldSandboxRows } from './sandbox-retention.ts';
import {
  directChat,
  messageTo,
  type SandboxWorld,
  startSandboxWorld,
} from '../../../test/support/channels/sandbox/sandbox-world.ts';

let world: SandboxWorld;
beforeAll(async () => {
  world = await startSandboxWorld();
});
afterAll(() => world.stop());

const never = (): AbortSignal => new AbortController().signal;
const eventually = <T>(check: () => T | Promise<T>): Promise<T> => vi.waitFor(check);
const toRows = async (table: string, instanceId: string): Promise<number> => {
  const { rows } = await world.database.pool.query(
    `select count(*)::int as n from ${table} where instance_id = $1`,
    [instanceId],
  );
  return rows[0].n;
};
/** Resolves once there are no more signals. */
const emptied = (instanceId: string): Promise<void> =>
  eventually(async () => expect(await toRows('sandbox_inbox', instanceId)).toBe(0));

describe.concurrent('a scripted contact', () => {
  test('receives, reads, types and answers, in this order', async () => {
    const { send, heard, context, account } = await world.connect();
    const { externalId } = await send('ann.miller', 'Hi!');
    await eventually(() => expect(heard('presence').at(-1)?.isOnline).toBe(false));
    const delivered = context.store.signals.map((signal) =>
      signal.kind === 'receipt'
        ? signal.status
        : signal.kind === 'typing'
          ? `typing ${signal.isTyping}`
          : signal.kind,
    );
    expect(delivered).toEqual([
      'delivered',
      'presence',
      'read',
      'typing true',
      'typing false',
      'message',
      'presence',
    ]);
    expect(heard('receipt').map((receipt) => receipt.externalId)).toEqual([externalId, externalId]);
    expect(heard('message')[0]).toMatchObject({
      from: 'ann.miller',
      fromName: 'Ann Miller',
      to: account.address,
      chat: { kind: 'direct', key: 'ann.miller', address: 'ann.miller' },
      text: expect.stringContaining('Hello, I am Ann Miller.'),
    });
    await emptied(account.instanceId);
  });

  test('repeats what it does not know, whatever it is', async () => {
    const { send, heard } = await world.connect();
    const data = { latitude: 1, longitude: 2, name: null, address: null };
    await send('alice', 'What? \0 \u202E "quoted"');
    await send('bob', { type: 'location', content: { text: null, file: null, data } });
    await eventually(() => expect(heard('message')).toHaveLength(2));
    const answers = new Map(heard('message').map((message) => [message.from, message]));
    expect(answers.get('alice')?.text).toBe('What? \0 \u202E "quoted"');
    expect(answers.get('bob')).toMatchObject({ type: 'location', data });
  });

  test('does not repeat messages of rules', async () => {
    const { send, heard } = await world.connect();
    const ofRule = { content: { text: 'Our price is 5', file: null, data: null }, automatic: true };
    await send('alice', ofRule);
    await send('alice', { ...ofRule, content: { ...ofRule.content, text: 'help' } });
    await eventually(() => expect(heard('message')).toHaveLength(1));
    expect(heard('message')[0]!.text).toContain('Words that I know');
  });

  test('answers each word in its way', async () => {
    const { send, heard, context, account } = await world.connect();
    const commands = [
      'image',
      'poll',
      'react',
      'reply',
      'edit',
      'delete',
      'phone',
      'profile',
      'many',
      'quiet',
    ];
    const ids = new Map<string, string>();
    for (const word of commands) ids.set(word, (await send(`the-${word}`, word)).externalId!);
    await eventually(() => {
      expect(heard('revoked')).toHaveLength(1);
      expect(heard('edited')).toHaveLength(1);
      expect(heard('receipt').filter(({ status }) => status === 'read')).toHaveLength(commands.length);
    });
    const from = (word: string) => heard('message').filter(({ chat }) => chat.key === `the-${word}`);
    expect(from('image')[0]).toMatchObject({ type: 'image', file: { received: { size: 453 } } });
    expect(from('poll')[0]).toMatchObject({ type: 'poll', data: { options: ['Tea', 'Coffee'] } });
    expect(from('react')).toEqual([]);
    expect(heard('reacted')).toMatchObject([
      { externalId: ids.get('react'), author: 'the-react', emoji: '👍' },
    ]);
    expect(from('reply')[0]!.replyTo).toEqual({ externalId: ids.get('reply') });
    expect(heard('edited')[0]).toMatchObject({
      externalId: from('edit')[0]!.externalId,
      text: 'This was changed',
    });
    expect(heard('revoked')[0]!.externalId).toBe(from('delete')[0]!.externalId);
    expect(from('phone')[0]).toMatchObject({ fromMe: true, from: account.address, to: 'the-phone' });
    expect(heard('profile')).toMatchObject([{ address: 'the-profile', name: 'The Profile (new)' }]);
    expect(from('many').map(({ text }) => text)).toHaveLength(10);
    expect(from('quiet')).toEqual([]);
    const all = context.messages().map(({ externalId }) => externalId);
    expect(new Set(all).size).toBe(all.length);
  });

  test('has a picture that is one, and tells of files that it gets', async () => {
    const { send, heard, context } = await world.connect();
    const received: Buffer[] = [];
    const { receiveFile } = context;
    context.receiveFile = async (source, about) => {
      const bytes = await source.toArray();
      received.push(Buffer.concat(bytes));
      return receiveFile(source, about);
    };
    await send('alice', 'image');
    const file = getFile('document', randomBytes(700_000), { fileName: 'a.pdf' });
    await send('bob', { type: 'document', content: { text: null, file, data: null } });
    await eventually(() => expect(heard('message')).toHaveLength(2));
    expect(await getType(received[0]!, null)).toBe('image/png');
    expect(heard('message').map(({ text }) => text)).toContain('Got your document: a.pdf, 700000 bytes');
  });

  test('does not answer where it is told not to, or is blocked, or is oneself', async () => {
    const silent = await world.connect({ replies: false });
    const blocking = await world.connect();
    await blocking.connection.contacts!.setBlocked!('alice', true, never());
    await silent.send('alice', 'hi');
    await blocking.send('alice', 'hi');
    await blocking.send(blocking.account.address, 'hi');
    for (const { heard } of [silent, blocking])
      await eventually(() =>
        expect(heard('receipt').map(({ status }) => status)).toEqual(['delivered', 'read']),
      );
    for (const { account } of [silent, blocking]) await emptied(account.instanceId);
    expect([...silent.heard('message'), ...blocking.heard('message')]).toEqual([]);
  });
});

describe.concurrent('a fault by address', () => {
  test('fail@: refused for good', async () => {
    const { send } = await world.connect();
    await expect(send('fail@x')).rejects.toMatchObject({ kind: 'rejected', code: 'recipient_unknown' });
  });

  test('busy@ and limit@: refused for a time, then taken', async () => {
    const { send, connection, heard, account } = await world.connect();
    const busy = messageTo('busy@x');
    const limited = messageTo('limit@x');
    const rejection = await connection.send(busy, never()).catch((error: unknown) => error);
    expect(rejection).toMatchObject({ kind: 'busy' });
    expect((rejection as { retryAfterMs: number }).retryAfterMs).toBeGreaterThan(1_000);
    const restricted = await connection.send(limited, never()).catch((error: unknown) => error);
    expect(restricted).toMatchObject({ kind: 'restricted', code: 'rate_limited' });
    const { until } = restricted as { until: Date };
    expect(until.getTime() - Date.now()).toBeGreaterThan(3_000);
    await eventually(() => connection.send(busy, never()));
    await expect(connection.send(limited, never())).rejects.toMatchObject({ kind: 'restricted' });
    // Five seconds later.
    await world.database.pool.query(`update sandbox_sent set held_until = now() where instance_id = $1`, [
      account.instanceId,
    ]);
    await world.database.pool.query(`update sandbox_inbox set due_at = now() where instance_id = $1`, [
      account.instanceId,
    ]);
    await connection.send(limited, never());
    await eventually(() => expect(heard('limit')[0]).toEqual({ kind: 'limit', restriction: null }));
    await send('alice');
  });

  test('slow@: acknowledged late; never@: not at all', async () => {
    const { send, connection, heard } = await world.connect();
    const given = messageTo('never@x');
    await expect(connection.send(given, AbortSignal.timeout(500))).rejects.toMatchObject({ kind: 'unknown' });
    await expect(connection.send(given, AbortSignal.timeout(50))).rejects.toMatchObject({ kind: 'unknown' });
    const asked = performance.now();
    await send('slow@x', 'quiet');
    expect(performance.now() - asked).toBeGreaterThan(2_900);
    await eventually(() =>
      expect(heard('receipt').map(({ status }) => status)).toEqual(['delivered', 'read']),
    );
  });

  test('unknown@: taken, which only sending again tells; delivered once', async () => {
    const { connection, heard } = await world.connect();
    const message = messageTo('unknown@x', 'quiet');
    await expect(connection.send(message, never())).rejects.toMatchObject({ kind: 'unknown' });
    expect(await connection.send({ ...message, attempt: 1 }, never())).toMatchObject({
      externalId: message.clientId,
      status: 'sent',
    });
    await eventually(() =>
      expect(heard('receipt').map(({ status }) => status)).toEqual(['delivered', 'read']),
    );
  });

  test('drop@: the connection is lost, and the message is there when it is back', async () => {
    const { connection, context, account, heard } = await world.connect();
    const message = messageTo('drop@x', 'quiet');
    await expect(connection.send(message, never())).rejects.toMatchObject({ kind: 'unknown' });
    expect(context.endings).toMatchObject([{ kind: 'lost', code: 'connection_dropped' }]);
    await expect(connection.probe(never())).rejects.toMatchObject({ kind: 'lost' });
    await expect(connection.send(message, never())).rejects.toMatchObject({ kind: 'lost' });
    await connection.close();
    const again = await world.connect({}, { account, store: context.store });
    await again.connection.send({ ...message, attempt: 1 }, never());
    await eventually(() =>
      expect(heard('receipt').map(({ status }) => status)).toEqual(['delivered', 'read']),
    );
    expect(context.endings).toHaveLength(1);
  });

  test('silent@: sent for ever; bounce@: comes back', async () => {
    const { send, heard, account } = await world.connect();
    await send('silent@x');
    const { externalId } = await send('bounce@x');
    await eventually(() =>
      expect(heard('receipt')).toMatchObject([
        { status: 'failed', externalId, error: { code: 'undeliverable' } },
      ]),
    );
    await emptied(account.instanceId);
  });

  test('deaf@: up, but hears nothing until it is made anew', async () => {
    const { send, connection, account, context, heard } = await world.connect();
    await send('deaf@x', 'quiet');
    await expect(connection.probe(never())).rejects.toMatchObject({ kind: 'lost', code: 'deaf' });
    expect(heard('receipt')).toEqual([]);
    await connection.close();
    await world.connect({}, { account, store: context.store });
    await eventually(() =>
      expect(heard('receipt').map(({ status }) => status)).toEqual(['delivered', 'read']),
    );
  });

  test('logout@: the account is logged out, and pairs anew', async () => {
    const { send, account, context } = await world.connect({ pairing: 'qr', pairing_seconds: 1 });
    expect(context.steps).toMatchObject([
      { kind: 'qr', data: expect.stringMatching(/^fairlead-sandbox:/) },
      null,
    ]);
    await expect(send('logout@x')).rejects.toMatchObject({ kind: 'unknown' });
    expect(context.endings).toMatchObject([{ kind: 'refused', code: 'logged_out' }]);
    const again = await world.connect({}, { account, store: context.store });
    expect(again.context.steps).toHaveLength(2);
  });
});

describe.concurrent('two instances', () => {
  test('talk to each other', async () => {
    const [one, two] = [await world.connect(), await world.connect()];
    const bytes = randomBytes(1_200_000);
    const file = getFile('image', bytes);
    const { externalId } = await one.send(two.account.address, {
      type: 'image',
      content: { text: 'Look', file, data: null },
    });
    const [message] = await eventually(() => {
      expect(two.heard('message')).toHaveLength(1);
      return two.heard('message');
    });
    expect(message).toMatchObject({
      externalId,
      from: one.account.address,
      fromName: one.account.name,
      chat: { key: one.account.address },
      to: two.account.address,
      text: 'Look',
      file: { received: { size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') } },
    });
    const ref = { clientId: null, externalId: externalId!, fromMe: false, author: one.account.address };
    await two.connection.markRead!(directChat(one.account.address), ref, never());
    // Either may come first: the engine goes forward only.
    await eventually(() => expect(one.heard('receipt')).toHaveLength(2));
    expect(one.heard('receipt').toSorted((a, b) => a.status.localeCompare(b.status))).toMatchObject([
      { status: 'delivered', externalId },
      { status: 'read', externalId, upTo: true },
    ]);
    await two.send(one.account.address, { replyTo: ref });
    await eventually(() => expect(one.heard('message')[0]!.replyTo).toEqual({ externalId }));
    expect(two.heard('message')).toHaveLength(1);
  });

  test('of other workspaces do not: their names are scripted contacts', async () => {
    const [one, stranger] = [await world.connect(), await world.connect()];
    await world.database.pool.query('update instances set workspace_id = gen_random_uuid() where id = $1', [
      stranger.account.instanceId,
    ]);
    await one.send(stranger.account.address, 'reply');
    await eventually(() => expect(one.heard('message')).toHaveLength(1));
    expect(stranger.heard('message')).toEqual([]);
    const list = await one.connection.contacts!.list!(never());
    expect(list.map(({ address }) => address)).not.toContain(stranger.account.address);
  });

  test('in two processes reach each other without a hint', async () => {
    const other = world.startOther();
    const [one, two] = [await world.connect(), await world.connect({}, { sandbox: other })];
    const before = world.hints();
    await one.send(two.account.address, 'over there');
    await eventually(() => expect(two.heard('message')).toMatchObject([{ text: 'over there' }]));
    await eventually(() => expect(one.heard('receipt')).toMatchObject([{ status: 'delivered' }]));
    expect(world.hints()).toBeGreaterThan(before);
  });

  test('cannot change what is not theirs, or is not known', async () => {
    const [one, two] = [await world.connect(), await world.connect()];
    const { externalId } = await one.send(two.account.address);
    const chat = directChat(one.account.address);
    const ref = { clientId: null, externalId, fromMe: false, author: one.account.address };
    const { edit, revoke } = two.connection;
    const unknown = { kind: 'rejected', code: 'message_unknown' };
    await expect(edit!(chat, ref, 'forged', never())).rejects.toMatchObject(unknown);
    await expect(revoke!(chat, { ...ref, fromMe: true }, never())).rejects.toMatchObject(unknown);
    expect(one.heard('edited')).toEqual([]);
  });
});

describe("the sandbox's server", () => {
  test('takes what is sent at once in few statements, each in its order', async () => {
    const [one, two] = [await world.connect(), await world.connect()];
    const messages = Array.from({ length: 400 }, (_, nth) => messageTo(two.account.address, `${nth}`));
    const before = statementsSent();
    const acceptance = await Promise.all(messages.map((message) => one.connection.send(message, never())));
    expect(statementsSent() - before).toBeLessThan(60);
    expect(acceptance.map(({ externalId }) => externalId)).toEqual(messages.map(({ clientId }) => clientId));
    await eventually(() => expect(two.heard('message')).toHaveLength(400));
    expect(two.heard('message').map(({ text }) => text)).toEqual(messages.map(({ content }) => content.text));
    await eventually(() => expect(one.heard('receipt')).toHaveLength(400));
  });

  test('asks the database no more for many idle accounts than for one', async () => {
    const idle = await Promise.all(Array.from({ length: 200 }, () => world.connect()));
    const { send, heard } = idle[150]!;
    await send('alice', 'quiet');
    await eventually(() => expect(heard('receipt')).toHaveLength(2));
    const before = statementsSent();
    const began = performance.now();
    await sleep(1_000);
    const seconds = (performance.now() - began) / 1_000;
    // Other processes of this file poll too.
    expect(statementsSent() - before).toBeLessThan(60 * seconds);
    await Promise.all(idle.map(({ connection }) => connection.close()));
  });

  test('forgets what is old', async () => {
    const { send, account } = await world.connect();
    await send('silent@x');
    expect(await toRows('sandbox_sent', account.instanceId)).toBe(1);
    const inDays = (days: number): Date => new Date(Date.now() + days * 86_400_000);
    await deleteOldSandboxRows(world.database.db, inDays(1));
    expect(await toRows('sandbox_sent', account.instanceId)).toBe(1);
    await deleteOldSandboxRows(world.database.db, inDays(3));
    expect(await toRows('sandbox_sent', account.instanceId)).toBe(0);
  });
});
