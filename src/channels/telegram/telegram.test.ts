/** Tests behavior specific to Telegram with an emulator that checks each request against Telegram's description. */
import fc from 'fast-check';
import { Readable } from 'node:stream';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { startHttp } from '../../../test/support/egress.ts';
import { PATIENCE } from '../../../test/support/patience.ts';
import { type BotApiServer, failure } from '../../../test/support/channels/telegram/bot-api-server.ts';
import { startTelegramHarness } from '../../../test/support/channels/telegram/telegram-harness.ts';
import { newStore, recordedContext } from '../../../test/conformance/suite/recorded-context.ts';
import { getFile, outbound } from '../../../test/conformance/suite/samples.ts';
import type { Harness, Peer } from '../../../test/conformance/suite/harness.ts';
import type { OutboundMessage } from '../contract/connection.ts';
import type { Json } from '../contract/json.ts';
import type { Signal } from '../contract/signal.ts';
import type { IngressOutcome } from '../contract/ingress.ts';
import { getWebhookSecret } from './settings.ts';
import { telegramDriver } from './telegram.driver.ts';

const never = () => new AbortController().signal;
const eventually = <T>(check: () => T | Promise<T>): Promise<T> => vi.waitFor(check, PATIENCE);
let harness: Harness & { stop(): Promise<void>; server: BotApiServer };
beforeAll(async () => {
  harness = await startTelegramHarness();
});
afterAll(() => harness?.stop());

const GROUP = -1_001_234_567_890;
const person = { id: 77, is_bot: false, first_name: 'Ann', last_name: 'Lee' };
const group = { id: GROUP, type: 'supergroup', title: 'Team' };
const now = (): number => Math.floor(Date.now() / 1000);

async function open(change: { settings?: object; ingressUrl?: string; position?: Json } = {}) {
  const bot = harness.server.addBot();
  const account = {
    workspaceId: 'w',
    instanceId: 'i',
    name: 'bot',
    settings: { api_root: harness.server.url, ...change.settings },
    credentials: { token: bot.token },
    address: String(bot.id),
  };
  const store = newStore(account);
  store.position = change.position ?? null;
  const context = { ...recordedContext(harness, account, store), ingressUrl: change.ingressUrl ?? null };
  const connection = await telegramDriver.open(context);
  onTestFinished(() => connection.close());
  const told = (kind: Signal['kind']) => store.signals.filter((signal) => signal.kind === kind);
  return { bot, context, store, connection, told };
}

const getChat = (id: number | string) => ({ kind: 'direct' as const, key: String(id), address: String(id) });
const messageTo = (
  id: number | string,
  changes: Partial<OutboundMessage> & { text?: string } = {},
): OutboundMessage => outbound({ chat: getChat(id) } as Peer, changes);

describe('requests', () => {
  test('are all ones that the description of the Bot API allows', async () => {
    const { server } = harness;
    const [before, validated] = [server.violations.length, new Set<string>()];
    const { bot, connection } = await open();
    const send = (type: OutboundMessage['type'], data: Json, more: Partial<OutboundMessage> = {}) =>
      connection.send(messageTo(77, { type, content: { text: null, file: null, data }, ...more }), never());
    const ours = await connection.send(
      messageTo(`${GROUP}:9`, { text: 'hi @77', mentions: ['77', '78'] }),
      never(),
    );
    const replyTo = { clientId: null, externalId: '77/1', fromMe: false, author: '77' };
    for (const [type, mimeType] of [
      ['image', 'image/png'],
      ['image', 'image/gif'],
      ['image', 'image/svg+xml'],
      ['video', 'video/mp4'],
      ['audio', 'audio/mpeg'],
      ['voice', 'audio/ogg'],
      ['document', 'application/pdf'],
      ['sticker', 'image/webp'],
    ] as const) {
      const file = getFile(type, Buffer.from('x'), { mimeType });
      const text = type === 'sticker' ? null : 'for @77';
      const content = { text, file, data: null };
      await connection.send(messageTo(77, { type, content, mentions: ['77'], replyTo }), never());
    }
    await send('location', { latitude: 1.5, longitude: 2, name: null, address: null });
    await send('location', { latitude: 1.5, longitude: 2, name: 'Shop', address: null });
    await send('contacts', [{ name: 'Bob', phones: ['+4930'], emails: null, organization: null }]);
    await send('poll', { question: 'Tea?', options: ['Yes', 'No'], multiple: true });
    await send('interactive', {
      body: 'Tea?',
      choices: [{ id: 'y', title: 'Yes' }],
      header: 'A',
      footer: 'B',
    });
    const chat = getChat(77);
    const message = { clientId: null, externalId: '77/1', fromMe: true, author: null };
    await connection.edit!(chat, message, 'changed', never());
    bot.answerWith('editMessageText', failure(400, 'Bad Request: there is no text in the message to edit'));
    await connection.edit!(chat, message, 'changed', never());
    await connection.revoke!(chat, message, never());
    await connection.react!(chat, message, '👍', never());
    await connection.react!(chat, message, null, never());
    await connection.setPinned!(chat, message, true, never());
    expect(bot.calls.at(-1)!.params).toEqual({ chat_id: 77, message_id: 1, disable_notification: true });
    bot.answerWith('unpinChatMessage', failure(400, 'Bad Request: message to unpin not found'));
    await connection.setPinned!(chat, message, false, never());
    await connection.setTyping!(getChat(`${GROUP}:9`), true, never());
    const groups = connection.groups!;
    const key = String(GROUP);
    expect(await groups.get(key, never())).toMatchObject({ subject: `Group ${key}`, isPartial: true });
    const settings = { announceOnly: true, locked: true };
    const picture = getFile('image', Buffer.from('x'));
    await groups.update(key, { subject: 'A', description: null, settings, picture }, never());
    await groups.update(key, { picture: null }, never());
    for (const action of ['remove', 'promote', 'demote', 'ban', 'unban'] as const)
      expect(await groups.changeParticipants(key, action, ['77'], never())).toEqual([
        { address: '77', error: null },
      ]);
    expect(await groups.revokeInvite!(key, never())).toBe('https://t.me/+def');
    await groups.leave(key, never());
    bot.push({
      callback_query: { id: '5', from: person, data: 'y', message: { message_id: 1, chat: person, date: 0 } },
    });
    const document = { file_id: server.addFile(Buffer.from('x')) };
    bot.push({
      message: { message_id: 2, chat: { ...person, type: 'private' }, from: person, date: 0, document },
    });
    const about = { chat: { ...person, type: 'private' }, message_id: 2, user: person };
    bot.push({ message_reaction: { ...about, new_reaction: [{ custom_emoji_id: '5' }] } });
    const answering = ['answerCallbackQuery', 'getFile', 'getCustomEmojiStickers'];
    const called = () => bot.calls.map(({ method }) => method);
    await eventually(() => expect(called()).toEqual(expect.arrayContaining(answering)));
    const hooked = await open({ ingressUrl: 'https://fairlead.example/channels/x' });
    await hooked.connection.probe(never());
    await hooked.connection.logout!(never());
    expect(server.violations.slice(before)).toEqual([]);
    expect(ours.externalId).toBe(`${GROUP}/1`);
    for (const { method } of [...bot.calls, ...hooked.bot.calls]) validated.add(method);
    const missing = [...validated].filter((method) => !server.validated.has(method));
    expect(missing).toEqual([]);
    // As docs/telegram.md says.
    expect(validated.size).toBe(39);
  });
});

describe('messages from Telegram', () => {
  test('are told with their topic, mentions and the destinations of links', async () => {
    const { bot, store, told } = await open();
    const text = 'see here, @Ann';
    const entities = [
      { type: 'text_link', offset: 4, length: 4, url: 'https://example.com/' },
      { type: 'text_mention', offset: 10, length: 4, user: person },
    ];
    const created = { message_id: 9, chat: group, date: now(), forum_topic_created: { name: 'Orders' } };
    const about = { message_id: 10, from: person, chat: group, date: now(), text, entities };
    bot.push({
      message: { ...about, is_topic_message: true, message_thread_id: 9, reply_to_message: created },
    });
    await eventually(() => expect(told('message')).toHaveLength(1));
    expect(told('message')[0]).toMatchObject({
      externalId: `${GROUP}/10`,
      chat: { kind: 'group', key: String(GROUP), title: 'Team' },
      threadId: '9',
      from: '77',
      fromName: 'Ann Lee',
      text: 'see here (https://example.com/), @Ann',
      mentions: ['77'],
      replyTo: null,
    });
    expect(store.signals[0]).toMatchObject({ kind: 'group', key: String(GROUP), about: { subject: 'Team' } });
  });

  test('of a pressed button are replies with the choice, and the button is answered', async () => {
    const { bot, store } = await open();
    const chat = { ...person, type: 'private' };
    const markup = { inline_keyboard: [[{ text: 'Yes, please', callback_data: 'y' }]] };
    const message = { message_id: 3, chat, date: now(), text: 'Tea?', reply_markup: markup };
    bot.push({ callback_query: { id: '5', from: person, data: 'y', message, chat_instance: '1' } });
    await eventually(() => expect(store.signals).toHaveLength(1));
    expect(store.signals[0]).toMatchObject({
      type: 'interactive',
      data: { body: 'Yes, please', choices: [{ id: 'y', title: 'Yes, please' }] },
      replyTo: { externalId: '77/3' },
    });
  });

  test('are confirmed only once they are stored, and a webhook of others is removed without losing any', async () => {
    const { bot, context, store, connection } = await open();
    await eventually(() => expect(bot.calls.some(({ method }) => method === 'getUpdates')).toBe(true));
    context.crash();
    const id = bot.push({
      message: { message_id: 1, from: person, chat: { ...person, type: 'private' }, date: 1, text: 'x' },
    });
    await eventually(() => expect(context.dropped).toHaveLength(1));
    await connection.close();
    expect(bot.pending()).toBe(1);
    bot.webhook = { url: 'http://127.0.0.1:1/', secret: '' };
    const again = await telegramDriver.open(
      recordedContext(
        harness,
        { ...context, address: '' },
        { ...newStore({ ...context, address: '' }), position: store.position },
      ),
    );
    onTestFinished(() => again.close());
    await eventually(() => expect(bot.pending()).toBe(0));
    expect(bot.calls.findLast(({ method }) => method === 'getUpdates')!.params['offset']).toBe(id + 1);
  });

  test('in a group that became a supergroup stay in its chat, which can be written to', async () => {
    const old = -555;
    const { bot, store, connection, told } = await open();
    bot.push({
      message: {
        message_id: 1,
        from: person,
        chat: { id: old, type: 'group', title: 'Old' },
        date: now(),
        migrate_to_chat_id: GROUP,
      },
    });
    bot.push({ message: { message_id: 2, from: person, chat: group, date: now(), text: 'after' } });
    await eventually(() =>
      expect(told('message')).toMatchObject([{ chat: { key: String(old) }, externalId: `${GROUP}/2` }]),
    );
    await connection.send(messageTo(old), never());
    // Updates are asked for all the while.
    expect(bot.calls.findLast(({ method }) => method === 'sendMessage')!.params['chat_id']).toBe(GROUP);
    // Known after the next opening, and learned from the refusal of a message.
    const reopened = await open({ position: store.position });
    await reopened.connection.send(messageTo(old), never());
    expect(reopened.bot.calls.find(({ method }) => method === 'sendMessage')!.params['chat_id']).toBe(GROUP);
    const learning = await open();
    const upgraded = 'Bad Request: group chat was upgraded to a supergroup chat';
    learning.bot.answerWith('sendMessage', failure(400, upgraded, { migrate_to_chat_id: GROUP }));
    expect((await learning.connection.send(messageTo(old), never())).externalId).toBe(`${GROUP}/1`);
    expect(learning.store.position).toMatchObject({ moved: [[old, GROUP]] });
  });

  test('tell where the bot is in groups and who is', async () => {
    const { bot, told } = await open();
    const self = { id: bot.id, is_bot: true, first_name: 'Bot' };
    const update = (user: object, status: string) => ({
      chat: group,
      from: person,
      date: now(),
      old_chat_member: {},
      new_chat_member: { user, status },
    });
    bot.push({ my_chat_member: update(self, 'administrator') });
    bot.push({ chat_member: update({ ...person, id: 78 }, 'member') });
    bot.push({ chat_member: update({ ...person, id: 78 }, 'kicked') });
    bot.push({ my_chat_member: update(self, 'left') });
    await eventually(() =>
      expect(told('group')).toMatchObject([
        { membership: 'joined', about: { subject: 'Team' }, by: '77' },
        { participants: { changed: [{ address: '78', role: 'member' }] } },
        { participants: { changed: [{ address: '78', role: null, gone: 'banned' }] } },
        { membership: 'removed' },
      ]),
    );
  });

  test('tell who blocked the bot, and so do messages that fail', async () => {
    const { bot, told, connection } = await open();
    const update = (status: string) => ({
      chat: { ...person, type: 'private' },
      from: person,
      date: now(),
      new_chat_member: { user: { id: bot.id, is_bot: true }, status },
    });
    bot.push({ my_chat_member: update('kicked') });
    bot.push({ my_chat_member: update('member') });
    await eventually(() => expect(told('reachability')).toHaveLength(2));
    bot.answerWith('sendMessage', failure(403, 'Forbidden: bot was blocked by the user'));
    await expect(connection.send(messageTo(77), never())).rejects.toMatchObject({ code: 'blocked' });
    const signals = [false, true, false].map((isReachable) => ({ address: '77', isReachable }));
    expect(told('reachability')).toMatchObject(signals);
  });

  test('with files that are too large or gone come without them', async () => {
    const { bot, told } = await open();
    const about = { from: person, chat: { ...person, type: 'private' }, date: now(), caption: 'c' };
    bot.push({ message: { ...about, message_id: 1, document: { file_id: 'gone', file_size: 10 } } });
    bot.push({ message: { ...about, message_id: 2, video: { file_id: 'x', file_size: 20_000_001 } } });
    await eventually(() =>
      expect(told('message')).toMatchObject([
        { type: 'document', text: 'c', file: null },
        { type: 'video', text: 'c', file: null },
      ]),
    );
  });

  test('that are hostile break nothing', async () => {
    const { bot, context, connection, told } = await open();
    const value = fc.oneof(
      fc.integer(),
      fc.constantFrom(null, true, [], {}, '', -1, 1e308, [[]]),
      fc.string(),
    );
    const names = [
      'message_id',
      'chat',
      'from',
      'date',
      'text',
      'entities',
      'photo',
      'document',
      'location',
      'poll',
      'contact',
      'caption',
      'reply_to_message',
      'sender_chat',
      'new_chat_members',
      'user',
      'new_chat_member',
      'new_reaction',
      'data',
      'id',
      'type',
      'migrate_to_chat_id',
      'file_id',
    ];
    const kinds = [
      'message',
      'edited_message',
      'channel_post',
      'message_reaction',
      'callback_query',
      'my_chat_member',
      'chat_member',
      'unheard_of',
    ];
    const tree = fc.letrec((tie) => ({
      node: fc.oneof(
        { maxDepth: 4 },
        value,
        fc.dictionary(fc.constantFrom(...names), tie('node'), { maxKeys: 8 }),
        fc.array(tie('node'), { maxLength: 3 }),
      ),
    })).node;
    const chat = { id: GROUP, type: 'supergroup', title: 'x' };
    for (const [kind, body] of fc.sample(fc.tuple(fc.constantFrom(...kinds), tree), 400)) {
      bot.push({ [kind]: body });
      if (typeof body === 'object' && body !== null && !Array.isArray(body))
        bot.push({ [kind]: { chat, message_id: 1, from: person, ...body } });
    }
    const private_ = { ...person, type: 'private' };
    bot.push({
      message: { message_id: 2, chat: private_, from: person, date: -5, text: 'x'.repeat(1_000_000) },
    });
    bot.push({ message: { message_id: -3, chat: private_, from: { id: -1 }, date: 'soon', text: 7 } });
    bot.push({ message: { message_id: 4, chat: private_, from: person, date: now(), text: 'the end' } });
    await eventually(() => expect(told('message').at(-1)).toMatchObject({ text: 'the end' }));
    expect(context.endings).toEqual([]);
    await connection.probe(never());
  });
});

describe('failures', () => {
  test('say what happened, without the token', async () => {
    const { bot, connection, context } = await open();
    const failing = async (status: number, text: string, parameters?: object) => {
      bot.answerWith('sendMessage', failure(status, `${text} ${bot.token}`, parameters));
      const error = (await connection.send(messageTo(77), never()).catch((fault: unknown) => fault)) as Error;
      expect(`${error.message} ${error.stack} ${JSON.stringify(error)} ${String(error.cause)}`).not.toContain(
        bot.token,
      );
      return error;
    };
    expect(await failing(403, 'Forbidden: bot was blocked by the user')).toMatchObject({
      kind: 'rejected',
      code: 'blocked',
    });
    expect(await failing(400, 'Bad Request: chat not found')).toMatchObject({
      kind: 'rejected',
      code: 'recipient_unknown',
    });
    expect(await failing(429, 'Too Many Requests', { retry_after: 7 })).toMatchObject({
      kind: 'busy',
      retryAfterMs: 7000,
    });
    expect(await failing(502, 'Bad Gateway')).toMatchObject({ kind: 'unknown' });
    expect(await failing(413, 'Request Entity Too Large')).toMatchObject({
      kind: 'rejected',
      code: 'too_large',
    });
    expect(context.endings).toEqual([]);
    expect(await failing(401, 'Unauthorized')).toMatchObject({ kind: 'refused' });
    expect(context.endings).toMatchObject([{ kind: 'refused', code: 'authentication_failed' }]);
  });

  test('of responses with too many values end the connection, which is then opened with a growing delay', async () => {
    const limits: unknown[] = [];
    const { port } = await startHttp((request, response) => {
      void json(request).then((params) => {
        const [, id] = /\/bot(\d+):/.exec(request.url!)!;
        const asksForUpdates = request.url!.endsWith('/getUpdates');
        if (asksForUpdates) limits.push((params as { limit: number }).limit);
        if (asksForUpdates) response.end(`{"ok":true,"result":[${'[],'.repeat(5_000_000)}[]]}`);
        else response.end(`{"ok":true,"result":{"id":${id},"is_bot":true,"first_name":"B","username":"b"}}`);
      });
    });
    const { context } = await open({ settings: { api_root: `http://127.0.0.1:${port}` } });
    await eventually(() => expect(context.endings).toHaveLength(1));
    expect(context.endings).toMatchObject([{ kind: 'lost', code: 'invalid_answer' }]);
    expect(String(context.endings[0])).toContain('more than 100000 values');
    // A single update was asked for, in case that many were too much.
    expect(limits).toEqual([100, 1]);
  });

  test('of a photo that is none are retried as a document', async () => {
    const { bot, connection } = await open();
    bot.answerWith('sendPhoto', failure(400, 'Bad Request: PHOTO_INVALID_DIMENSIONS'));
    const file = getFile('image', Buffer.from('x'), { open: async () => Readable.from([Buffer.from('x')]) });
    await connection.send(
      messageTo(77, { type: 'image', content: { text: null, file, data: null } }),
      never(),
    );
    expect(bot.calls.map(({ method }) => method).filter((name) => name.startsWith('send'))).toEqual([
      'sendPhoto',
      'sendDocument',
    ]);
  });
});

describe('webhooks', () => {
  const receive = (token: string, headers: Record<string, string>, body: string): IngressOutcome =>
    telegramDriver.ingress!.receive(
      {
        method: 'POST',
        url: 'https://x/',
        query: new URLSearchParams(),
        headers,
        body: Buffer.from(body),
        at: new Date(),
      },
      { settings: {}, credentials: { token } },
    );

  test('are used where the public address is HTTPS, and their updates are told', async () => {
    const url = 'https://fairlead.example/channels/abc';
    const { bot, connection, told } = await open({ ingressUrl: url });
    expect(bot.webhook).toEqual({ url, secret: getWebhookSecret(bot.token) });
    const update = {
      update_id: 5,
      message: {
        message_id: 1,
        from: person,
        chat: { ...person, type: 'private' },
        date: now(),
        text: 'hooked',
      },
    };
    const header = { 'x-telegram-bot-api-secret-token': bot.webhook!.secret };
    const outcome = receive(bot.token, header, JSON.stringify(update));
    expect(outcome).toMatchObject({ kind: 'accepted', parts: [{ id: '5', accountKey: null }] });
    await connection.receive(outcome.kind === 'accepted' ? outcome.parts : [], never());
    expect(told('message')).toMatchObject([{ text: 'hooked' }]);
    bot.webhook = { url: 'https://elsewhere.example/', secret: '' };
    await expect(connection.probe(never())).rejects.toMatchObject({ code: 'webhook_replaced' });
  });

  test('without the secret, or that are no update, are refused', () => {
    const token = `1:${'a'.repeat(30)}`;
    const secret = getWebhookSecret(token);
    const header = 'x-telegram-bot-api-secret-token';
    const wrong: Record<string, string>[] = [{ other: '' }, { [header]: secret.slice(1) }, { [header]: '' }];
    for (const headers of wrong)
      expect(receive(token, headers, '{"update_id":1}')).toMatchObject({
        kind: 'refused',
        code: 'signature_invalid',
      });
    for (const body of ['', '{', '[]', '{"update_id":"1"}', 'null'])
      expect(receive(token, { [header]: secret }, body)).toMatchObject({
        kind: 'refused',
        code: 'invalid_request',
      });
  });

  test('are refused without HTTPS where they are required, and not used with polling', async () => {
    const http = 'http://fairlead.example/channels/abc';
    await expect(open({ ingressUrl: http, settings: { receive: 'webhook' } })).rejects.toMatchObject({
      kind: 'refused',
      code: 'webhook_unavailable',
    });
    const { bot } = await open({
      ingressUrl: 'https://fairlead.example/x',
      settings: { receive: 'polling' },
    });
    expect(bot.webhook).toBeNull();
  });
});
