/**
 * The driver against Meta's description: its example webhooks, every request that the driver can make, and a batch of
 * several numbers.
 */
import type { ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Connection } from '../../src/channels/contract/connection.ts';
import type { MessageType } from '../../src/channels/contract/capabilities.ts';
import type { InboundMessage } from '../../src/channels/contract/signal.ts';
import { CHANNEL_TOOLS, HAS_CHANNEL_TOOLS } from '../support/channels/channel-tools.ts';
import { GROUP_ID, readDescription, readExampleWebhooks } from '../support/channels/whatsapp/description.ts';
import { type Body } from '../support/channels/whatsapp/graph-api.ts';
import { postWebhook, sign, toChange, toWebhook } from '../support/channels/whatsapp/webhooks.ts';
import {
  APP_SECRET,
  startWhatsappWorld,
  type WhatsappWorld,
} from '../support/channels/whatsapp/whatsapp-harness.ts';
import { needs } from '../support/needs.ts';
import type { Peer, TestAccount } from './suite/harness.ts';
import { newStore, type RecordedContext, recordedContext } from './suite/recorded-context.ts';
import { getFile, getOutbound, outbound } from './suite/samples.ts';

/** Prism does not know `unevaluatedProperties`, which refuses unknown properties of messages. */
async function validateMessages(): Promise<ValidateFunction> {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema(await readDescription(), 'description');
  return ajv.compile({ $ref: 'description#/components/schemas/Message' });
}

const never = new AbortController().signal;

describe('WhatsApp', needs(CHANNEL_TOOLS, HAS_CHANNEL_TOOLS), () => {
  let world: WhatsappWorld;
  beforeAll(async () => {
    world = await startWhatsappWorld();
  });
  afterAll(() => world?.harness.stop());

  interface Opened {
    account: TestAccount;
    context: RecordedContext;
    connection: Connection;
    url: string;
  }

  async function open(changes: Partial<TestAccount> = {}): Promise<Opened> {
    const { harness } = world;
    const account = Object.assign(await harness.makeAccount(), changes);
    const context = recordedContext(harness, account, newStore(account));
    const connection = await harness.driver.open(context);
    onTestFinished(() => connection.close());
    return { account, context, connection, url: world.ingress.url(account.instanceId) };
  }

  const eventually = <T>(check: () => T): Promise<T> =>
    vi.waitFor(check, { timeout: world.harness.patience, interval: 20 });

  const getMetadata = ({ settings, address }: TestAccount) => ({
    display_phone_number: address.slice(1),
    phone_number_id: (settings as Body).phone_number_id as string,
  });

  test('reads all 16 example webhooks', async () => {
    const examples = Object.entries(await readExampleWebhooks());
    expect(examples).toHaveLength(16);
    const { account, context, url } = await open();
    world.api.addFile(Buffer.from('Taj Mahal'), 'image/jpeg', '1003383421387256');
    for (const [title, example] of examples) {
      const text = JSON.stringify(example)
        .replaceAll('106540352242922', getMetadata(account).phone_number_id)
        // Several examples have the same ID.
        .replaceAll(/"id":"(wamid[^"]*)"/g, `"id":"$1${title.replaceAll(/\W/g, '')}"`);
      expect(await postWebhook(url, JSON.parse(text), APP_SECRET), title).toBe(200);
    }
    const getHeard = () =>
      context.store.signals.filter(({ kind }) => kind !== 'templates' && kind !== 'same_person');
    await eventually(() => expect(getHeard()).toHaveLength(16));
    const heard = getHeard().map((signal) =>
      signal.kind === 'message' ? `${signal.type}: ${signal.text ?? ''}` : signal.kind,
    );
    expect(heard).toEqual([
      'text: Does it come in another color?',
      'text: Is this still available?',
      'text: Hello! Can I get more info on this?',
      'reacted',
      'image: Taj Mahal',
      'location: ',
      'contacts: ',
      'text: [Unsupported message: WhatsApp error 131051: Message type is currently not supported.]',
      'interactive: Unsubscribe',
      'interactive: Priority Mail Express',
      'interactive: Cancel',
      'text: 2 × di9ozbzfi4 (30 USD)\n1 × nqryix03ez (25 USD)',
      'text: User Sheena Nelson changed from 16505551234 to 12195555358',
      'group',
      'group',
      'group',
    ]);
    const image = context.messages().find(({ type }) => type === 'image')!;
    expect(image.file).toMatchObject({ received: { size: 9 } });
  });

  test('reads a batch of 50 entries of four numbers on one URL', async () => {
    const numbers = await Promise.all([0, 1, 2, 3].map(() => open()));
    const text = (nth: number): Body => ({
      messages: [
        {
          from: '16505551234',
          id: `wamid.batch${nth}`,
          timestamp: '1750000000',
          type: 'text',
          text: { body: `${nth}` },
        },
      ],
    });
    const entries = Array.from({ length: 50 }, (_, nth) => {
      const [entry] = toWebhook([toChange(getMetadata(numbers[nth % 4]!.account), text(nth))]).entry;
      return entry;
    });
    const batch = { object: 'whatsapp_business_account', entry: entries };
    for (let times = 0; times < 2; times += 1)
      expect(await postWebhook(numbers[0]!.url, batch, APP_SECRET)).toBe(200);
    for (const [nth, { context }] of numbers.entries())
      await eventually(() => {
        const expected = Array.from({ length: 50 }, (_, one) => one).filter((one) => one % 4 === nth);
        expect(context.messages().map((message) => message.text)).toEqual(expected.map(String));
      });
  });

  test('refuses forged, truncated and missing signatures, and stores nothing', async () => {
    const { account, context, url } = await open();
    const webhook = toWebhook([toChange(getMetadata(account), { statuses: [{ id: 'x', status: 'read' }] })]);
    const right = sign(JSON.stringify(webhook), APP_SECRET);
    for (const signature of [null, '', right.slice(0, -2), right.replace(/.$/, 'x'), sign('{}', APP_SECRET)])
      expect(await postWebhook(url, webhook, APP_SECRET, signature)).toBe(401);
    expect(await postWebhook(url, webhook, 'another secret of 32 characters.')).toBe(401);
    expect(world.ingress.waiting(account.instanceId)).toBe(0);
    const getReceipts = () => context.store.signals.filter(({ kind }) => kind === 'receipt');
    expect(getReceipts()).toEqual([]);
    // Replayed: accepted, and stored once.
    for (const _ of [1, 2]) expect(await postWebhook(url, webhook, APP_SECRET)).toBe(200);
    await eventually(() => expect(getReceipts()).toHaveLength(1));
  });

  /** Everything that a connection can send. */
  async function sendEverything({ connection, account }: Opened, peer: Peer): Promise<void> {
    const { types } = world.harness.driver.capabilities({});
    const files: [MessageType, string][] = Object.entries(types).flatMap(([type, { mimeTypes }]) =>
      (mimeTypes ?? ['']).map((mimeType): [MessageType, string] => [type as MessageType, mimeType]),
    );
    for (const [type, mimeType] of files) {
      if (type === 'reaction') continue;
      const message = getOutbound(peer, type, Buffer.from('bytes'), types[type]!.text !== null);
      if (message.content.file) Object.assign(message.content.file, { mimeType });
      await connection.send(message, never);
    }
    const send = (type: MessageType, data: Body, text: string | null = null) =>
      connection.send(outbound(peer, { type, content: { text, file: null, data } }), never);
    const choices = (count: number) =>
      Array.from({ length: count }, (_, nth) => ({ id: `${nth}`, title: `Choice ${nth}` }));
    for (const count of [1, 3, 4, 10])
      await send(
        'interactive',
        { body: 'Choose', choices: choices(count), header: 'Head', footer: 'Foot' },
        'Choose',
      );
    const form = { id: 'order-7', title: 'Choose a day', form_id: '1034567890123456' };
    await send('interactive', { body: 'When?', choices: [form], header: 'Head', footer: null }, 'When?');
    await send('location', { latitude: -1e-7, longitude: 180, name: null, address: null });
    await send('contacts', [{ name: 'B', phones: null, emails: ['b@example.com'], organization: 'Example' }]);
    await send('template', {
      name: 'all',
      language: 'en_US',
      parameters: ['https://e.com/a.png', 'Ann', 'track'],
    });
    await send('template', { name: 'none', language: null, parameters: null });
    const group = GROUP_ID;
    await connection.send(outbound(peer, { chat: { kind: 'group', key: group, address: group } }), never);
    const theirs = { clientId: null, externalId: 'wamid.theirs', fromMe: false, author: peer.address };
    await connection.send(outbound(peer, { text: 'See https://e.com', replyTo: theirs }), never);
    await connection.react!(peer.chat, theirs, '👍', never);
    await connection.react!(peer.chat, theirs, null, never);
    await connection.markRead!(peer.chat, theirs, never);
    await peer.send(account, {
      type: 'image',
      text: null,
      data: null,
      replyTo: null,
      file: { bytes: Buffer.from('x'), fileName: 'x', mimeType: 'image/png' },
    });
    await eventually(() => expect(world.ingress.waiting(account.instanceId)).toBe(0));
    await connection.setTyping!(peer.chat, true, never);
    await connection.contacts!.setBlocked!(peer.address, true, never);
    await connection.contacts!.setBlocked!(peer.address, false, never);
    await connection.probe(never);
    world.api.groups.set(group, { subject: 'Trip', participants: [peer.address.slice(1)] });
    const groups = connection.groups!;
    await groups.update(group, { subject: 'Sea', description: null }, never);
    await groups.update(
      group,
      { picture: getFile('image', Buffer.from('x'), { mimeType: 'image/jpeg' }) },
      never,
    );
    await groups.get(group, never);
    await groups.changeParticipants(group, 'remove', [peer.address], never);
    await groups.revokeInvite!(group, never);
    await groups.leave(group, never);
    expect(world.api.groups.size).toBe(0);
  }

  test('every request that the driver can make is valid by the description', async () => {
    world.api.templates.push(
      {
        name: 'all',
        language: 'en_US',
        status: 'APPROVED',
        components: [
          { type: 'HEADER', format: 'IMAGE' },
          { type: 'BODY', text: 'Hi {{1}}' },
          { type: 'BUTTONS', buttons: [{ type: 'URL', url: 'https://e.com/{{1}}' }] },
        ],
      },
      { name: 'none', language: 'en', status: 'APPROVED', components: [{ type: 'BODY', text: 'Hi' }] },
    );
    const from = world.api.requests.length;
    const opened = await open();
    await sendEverything(opened, await world.harness.makePeer());
    const requests = world.api.requests.slice(from);
    const { phone_number_id: phone, business_account_id: business } = opened.account.settings as Body;
    const toOperation = ({ method, path }: { method: string; path: string }): string =>
      `${method} ${path
        .replace(phone, '{number}')
        .replace(business, '{account}')
        .replace(/^\/Y2FwaV9ncm91cD\w+/, '/{group}')
        .replace(/^\/[\da-f]{16}$/, '/{media}')}`;
    expect(requests.filter(({ validated }) => validated !== 200)).toEqual([]);
    expect([...new Set(requests.map(toOperation))].toSorted()).toEqual([
      'DELETE /{group}',
      'DELETE /{group}/participants',
      'DELETE /{number}/block_users',
      'GET /{account}/message_templates',
      'GET /{group}',
      'GET /{media}',
      'GET /{number}',
      'GET /{number}/groups',
      'POST /{account}/subscribed_apps',
      'POST /{group}',
      'POST /{group}/invite_link',
      'POST /{number}/block_users',
      'POST /{number}/media',
      'POST /{number}/messages',
    ]);
    const messages = requests.filter(({ path }) => path.endsWith('/messages')).map(({ body }) => body);
    expect(new Set(messages.map(({ type, status }) => type ?? status)).size).toBe(12);
    const check = await validateMessages();
    for (const message of messages)
      expect(check(message), JSON.stringify([message, check.errors])).toBe(true);
    expect(check({ ...messages[0], other: 1 })).toBe(false);
    console.info(`WhatsApp: 14 operations, 12 kinds of messages, ${requests.length} requests valid`);
  });

  test('Prism refuses what violates the description', async () => {
    const { account, connection } = await open();
    const peer = await world.harness.makePeer();
    const { phone_number_id: phone } = account.settings as Body;
    const { access_token: token } = account.credentials as Body;
    const post = async (body: Body): Promise<number> => {
      const headers = {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'user-agent': 'a/1.0.0',
      };
      const url = `${world.api.apiRoot}/${phone}/messages`;
      const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
      await answer.arrayBuffer();
      return answer.status;
    };
    const base = { messaging_product: 'whatsapp', recipient_type: 'individual', to: '1', type: 'text' };
    expect(await post({ ...base, text: { body: 'Hi' } })).toBe(200);
    expect(await post({ ...base, text: { body: 'Hi', other: 1 } })).toBe(422);
    expect(await post({ ...base, recipient_type: 'nobody', text: { body: 'Hi' } })).toBe(422);
    expect(await post({ messaging_product: 'whatsapp', status: 'seen', message_id: 'x' })).toBe(422);
    expect((await connection.send(outbound(peer), never)).status).toBe('sent');
  });

  test('errors of Meta end as what they mean', async () => {
    const { account, connection, context } = await open();
    const peer = await world.harness.makePeer();
    const failing = (status: number, code: number): Promise<unknown> => {
      world.api.failNext('/messages', status, { code, message: 'A message' });
      return connection.send(outbound(peer), never);
    };
    await expect(failing(400, 131047)).rejects.toMatchObject({ kind: 'rejected', code: 'window_closed' });
    await expect(failing(403, 368)).rejects.toMatchObject({ kind: 'restricted', code: 'policy_violation' });
    await expect(failing(400, 131056)).rejects.toMatchObject({ kind: 'busy', retryAfterMs: 6_000 });
    const { credentials } = account as { credentials: Body };
    world.api.revoke(credentials.access_token);
    await expect(connection.probe(never)).rejects.toMatchObject({ kind: 'refused', code: 'token_expired' });
    expect(context.endings).toEqual([]);
  });

  test('a file that is gone leaves its message, one that is late comes later', async () => {
    const { account, context } = await open();
    const image = (id: string, timestamp: number): Body => ({
      messages: [
        {
          from: '16505551234',
          id: `wamid.${id}`,
          timestamp: String(timestamp),
          type: 'image',
          image: { id },
        },
      ],
    });
    const now = Math.floor(Date.now() / 1000);
    world.api.failNext('/gone', 404, { code: 100, message: 'Object does not exist' });
    await world.post(account, image('gone', now));
    const find = (id: string): InboundMessage | undefined =>
      context.messages().find(({ externalId }) => externalId === `wamid.${id}`);
    await eventually(() => expect(find('gone')).toMatchObject({ type: 'image', file: null }));
    world.api.failNext('/late', 503, { code: 2, message: 'Service temporarily unavailable' });
    world.api.addFile(Buffer.from('late'), 'image/png', 'late');
    await world.post(account, image('late', now));
    await eventually(() => expect(world.ingress.waiting(account.instanceId)).toBe(1));
    // As after the reconnection that follows.
    const again = await world.harness.driver.open(context);
    onTestFinished(() => again.close());
    await eventually(() => expect(find('late')).toMatchObject({ file: { received: { size: 4 } } }));
    world.api.failNext('/old', 503, { code: 2, message: 'Service temporarily unavailable' });
    await world.post(account, image('old', now - 3_600));
    await eventually(() => expect(find('old')).toMatchObject({ file: null }));
  });

  test('a message held for quality restricts the account', async () => {
    const { connection, context } = await open();
    const peer = await world.harness.makePeer();
    world.api.holdNext();
    const content = { text: null, file: null, data: { name: 'hello', language: 'en', parameters: ['Ann'] } };
    expect(await connection.send(outbound(peer, { type: 'template', content }), never)).toMatchObject({
      status: 'sent',
    });
    expect(context.store.signals.slice(1)).toEqual([
      { kind: 'limit', restriction: { kind: 'held_for_quality', until: null } },
    ]);
  });

  test('nothing is subscribed while a connection is only checked', async () => {
    const { harness, api, bareDriver } = world;
    const account = await harness.makeAccount();
    const context = recordedContext(harness, account, newStore(account));
    const from = api.requests.length;
    const connection = await bareDriver.open(context);
    expect(context.store.signals).toEqual([]);
    await connection.close();
    expect(api.requests.slice(from).map(({ method }) => method)).toEqual(['GET', 'GET']);
  });
});
