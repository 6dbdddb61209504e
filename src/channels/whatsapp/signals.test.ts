/** Tests the signals of webhook entries: each type of message, statuses, changes, and events of the account. */
import { describe, expect, test } from 'vitest';
import { sign, toChange, toWebhook } from '../../../test/support/channels/whatsapp/webhooks.ts';
import type { Json } from '../contract/json.ts';
import { ingress, type WebhookPart } from './ingress.ts';
import { type Read, readPart } from './signals.ts';

const OWN = '+15550783881';
const USER = '+16505551234';
const NOW = new Date('2026-01-01T00:00:00Z');
const SECRET = '0123456789abcdef0123456789abcdef';
const metadata = { display_phone_number: '15550783881', phone_number_id: '106540352242922' };
const contacts = [{ wa_id: '16505551234', profile: { name: 'Ann' } }];

/** Reads a webhook as it arrives: signed, split, each part read. */
function readWebhook(webhook: unknown): Read[] {
  const body = Buffer.from(JSON.stringify(webhook));
  const outcome = ingress.receive(
    {
      method: 'POST',
      url: 'https://example.com/channels/x',
      query: new URLSearchParams(),
      headers: { 'x-hub-signature-256': sign(body, SECRET) },
      body,
      at: NOW,
    },
    { settings: {}, credentials: { access_token: 'x', app_secret: SECRET, verify_token: 'x' } },
  );
  if (outcome.kind !== 'accepted') throw new Error(JSON.stringify(outcome));
  return outcome.parts.map(({ body: part }) => readPart(part as unknown as WebhookPart, OWN, NOW));
}

const readValue = (value: unknown, field = 'messages'): Read =>
  readWebhook(toWebhook([toChange(metadata, value, field)]))[0]!;

const readItem = (item: { [name: string]: Json }) =>
  readValue({
    contacts,
    messages: [{ from: '16505551234', id: 'wamid.1', timestamp: '1750000000', ...item }],
  });
const readMessage = (item: { [name: string]: Json }) => readItem(item).messages[0]!;

test('a text has its writer, name, chat and what it answers', () => {
  const { message } = readMessage({ type: 'text', text: { body: 'Hi' }, context: { id: 'wamid.0' } });
  expect(message).toEqual({
    kind: 'message',
    externalId: 'wamid.1',
    chat: { kind: 'direct', key: USER, address: USER, title: 'Ann' },
    from: USER,
    fromName: 'Ann',
    fromUsername: null,
    fromMe: false,
    to: OWN,
    type: 'text',
    text: 'Hi',
    data: null,
    file: null,
    subject: null,
    replyTo: { externalId: 'wamid.0' },
    mentions: [],
    automatic: null,
    channelData: null,
    at: new Date(1_750_000_000_000),
  });
});

test('files keep their type, name and caption', () => {
  const file = { id: '77', mime_type: 'audio/ogg; codecs=opus', sha256: 'x' };
  const types = {
    voice: { type: 'audio', audio: { ...file, voice: true } },
    audio: { type: 'audio', audio: { ...file, voice: false } },
    sticker: { type: 'sticker', sticker: file },
    video: { type: 'video', video: { ...file, caption: 'See' } },
    document: { type: 'document', document: { ...file, filename: 'a.pdf' } },
  };
  for (const [type, item] of Object.entries(types)) {
    const { message, media } = readMessage(item);
    expect([message.type, media?.id, media?.mimeType]).toEqual([type, '77', file.mime_type]);
  }
  expect(readMessage(types.video).message.text).toBe('See');
  expect(readMessage(types.document).media!.fileName).toBe('a.pdf');
});

test('answers to interactive messages name what was chosen', () => {
  const chosen = (item: { [name: string]: Json }): Json => readMessage(item).message.data;
  const button = { type: 'button_reply', button_reply: { id: 'yes', title: 'Yes' } };
  const expected = { body: 'Yes', choices: [{ id: 'yes', title: 'Yes' }], header: null, footer: null };
  expect(chosen({ type: 'interactive', interactive: button })).toEqual(expected);
  const flow = {
    type: 'nfm_reply',
    nfm_reply: { name: 'flow', body: 'Sent', response_json: '{"day":"Mon"}' },
  };
  expect(chosen({ type: 'interactive', interactive: flow })).toEqual({
    body: 'Sent',
    choices: [{ id: '{"day":"Mon"}', title: 'flow' }],
    header: null,
    footer: null,
  });
});

describe('what a message has beside its content', () => {
  const beside = (item: { [name: string]: Json }): unknown => readMessage(item).message.channelData;
  const text = { type: 'text', text: { body: 'Is this still available?' } };
  const none = {
    system: null,
    error: null,
    forwarded: null,
    choice: null,
    call_permission: null,
    referral: null,
    product: null,
    order: null,
  };

  test('the ad that led to it', () => {
    const referral = {
      source_url: 'https://fb.me/3cr4Wqqkv',
      source_id: '120226305854810726',
      source_type: 'ad',
      body: 'Summer succulents are here!',
      headline: 'Chat with us',
      ctwa_clid: 'Aff-n8ZTODiE79d22KtAwQKj9e',
    };
    expect(beside({ ...text, referral: { ...referral, media_type: 'image' } })).toEqual({
      ...none,
      referral,
    });
  });

  test('the product that it is about', () => {
    const product = { catalog_id: '194836987003835', product_retailer_id: 'di9ozbzfi4' };
    expect(beside({ ...text, context: { id: 'wamid.0', referred_product: product } })).toEqual({
      ...none,
      product,
    });
  });

  test('the products of an order', () => {
    const item = { product_retailer_id: 'di9ozbzfi4', quantity: 2, item_price: 30.5, currency: 'USD' };
    const product_items: Json = [
      item,
      { product_retailer_id: 'x', quantity: {}, item_price: 'y' },
      { quantity: 1 },
    ];
    const order = { catalog_id: '194836987003835', text: '', product_items };
    expect(beside({ type: 'order', order })).toEqual({
      ...none,
      order: {
        catalog_id: '194836987003835',
        text: null,
        items: [
          { product_retailer_id: 'di9ozbzfi4', quantity: 2, price: 30.5, currency: 'USD' },
          { product_retailer_id: 'x', quantity: null, price: null, currency: null },
        ],
      },
    });
  });

  test('nothing, if it is of the wrong type', () => {
    const wrong: Json[] = [null, 0, 'x', [], {}, { source_id: {} }, { product_retailer_id: [] }, true];
    for (const odd of wrong)
      expect(beside({ ...text, referral: odd, context: { referred_product: odd }, order: odd })).toBeNull();
  });
});

test('reactions are given and removed', () => {
  const react = (emoji?: string) =>
    readItem({ type: 'reaction', reaction: { message_id: 'wamid.0', ...(emoji ? { emoji } : {}) } })
      .signals[0];
  expect(react('👍')).toMatchObject({ kind: 'reacted', externalId: 'wamid.0', author: USER, emoji: '👍' });
  expect(react()).toMatchObject({ emoji: null });
});

test('edited and deleted messages change the message that they name', () => {
  const edit = {
    original_message_id: 'wamid.0',
    message: { type: 'image', image: { id: '7', caption: 'New caption' } },
  };
  expect(readItem({ type: 'edit', edit }).signals).toEqual([
    {
      kind: 'edited',
      externalId: 'wamid.0',
      changeId: 'wamid.1',
      text: 'New caption',
      at: expect.any(Date),
      heardIn: USER,
    },
  ]);
  expect(readItem({ type: 'revoke', revoke: { original_message_id: 'wamid.0' } }).signals).toMatchObject([
    { kind: 'revoked', externalId: 'wamid.0' },
  ]);
});

test('echoes of the phone app are messages of the account', () => {
  const echo = { from: '15550783881', to: '16505551234', id: 'wamid.2', timestamp: '1750000000' };
  const echoes = (item: object): Read =>
    readValue({ message_echoes: [{ ...echo, ...item }] }, 'smb_message_echoes');
  expect(echoes({ type: 'text', text: { body: 'From my phone' } }).messages[0]!.message).toMatchObject({
    fromMe: true,
    from: OWN,
    to: USER,
    chat: { kind: 'direct', address: USER },
    text: 'From my phone',
  });
  expect(echoes({ type: 'revoke', revoke: { original_message_id: 'wamid.0' } }).signals).toMatchObject([
    { kind: 'revoked', externalId: 'wamid.0' },
  ]);
});

describe('groups', () => {
  const groupId = 'Y2FwaV9ncm91cDoxODA1NTU1MDE3MjoxMjAzNjMyMjI3NzE5NjMwNjcZD';
  const change = (item: object): Read['signals'] =>
    readValue(
      { groups: [{ group_id: groupId, timestamp: 1_750_000_000, ...item }] },
      'group_lifecycle_update',
    ).signals;

  test('are created, changed and deleted', () => {
    const added_participants = [{ input: '16505551234', wa_id: '16505551234' }];
    expect(
      change({ type: 'group_create', subject: 'Trip', description: 'To sea', added_participants }),
    ).toEqual([
      {
        kind: 'group',
        key: groupId,
        address: groupId,
        membership: 'joined',
        about: { subject: 'Trip', description: 'To sea' },
        participants: { changed: [{ address: USER, role: 'member' }] },
        by: null,
        at: new Date(1_750_000_000_000),
      },
    ]);
    expect(change({ type: 'group_settings_update', group_subject: { text: 'Sea' } })).toMatchObject([
      { about: { subject: 'Sea' } },
    ]);
    expect(
      change({ type: 'group_remove_participants', removed_participants: added_participants }),
    ).toMatchObject([{ participants: { changed: [{ address: USER, role: null, gone: 'removed' }] } }]);
    const left = { type: 'group_participants_remove', removed_participants: added_participants };
    expect(change({ ...left, initiated_by: 'participant' })).toMatchObject([
      { participants: { changed: [{ address: USER, role: null, gone: 'left' }] } },
    ]);
    const refused = { group_subject: { text: 'Refused', update_successful: false } };
    expect(change({ type: 'group_settings_update', ...refused })).toMatchObject([{ about: {} }]);
    expect(change({ type: 'group_settings_update', ...refused })[0]).not.toHaveProperty('about.subject');
    expect(change({ type: 'group_delete' })).toMatchObject([{ membership: 'destroyed' }]);
    expect(change({ type: 'group_create', errors: [{ code: 1 }] })).toEqual([]);
  });

  test('have messages with their writer', () => {
    const { message } = readMessage({ type: 'text', text: { body: 'Hi all' }, group_id: groupId });
    expect(message).toMatchObject({
      chat: { kind: 'group', key: groupId, address: groupId, title: null },
      from: USER,
      fromName: 'Ann',
      to: null,
    });
  });
});

test('contacts of the phone app become contacts', () => {
  const contact = { full_name: 'Ann Example', first_name: 'Ann', phone_number: '16505551234' };
  const sync = (action: string): Read =>
    readValue({ state_sync: [{ type: 'contact', contact, action }] }, 'smb_app_state_sync');
  expect(sync('add').signals).toEqual([
    { kind: 'profile', address: USER, name: 'Ann Example', isContact: true },
  ]);
  expect(sync('remove').signals).toEqual([]);
});

describe('statuses', () => {
  const status = (item: object) =>
    readValue({
      statuses: [{ id: 'wamid.3', recipient_id: '16505551234', timestamp: '1750000000', ...item }],
    }).signals;

  test('name the message by both IDs', () => {
    const [receipt] = status({ status: 'delivered', biz_opaque_callback_data: 'msg_1' });
    expect(receipt).toMatchObject({
      kind: 'receipt',
      externalId: 'wamid.3',
      clientId: 'msg_1',
      status: 'delivered',
      error: null,
    });
    const pricing = { billable: true, pricing_model: 'PMP', category: 'utility' };
    expect(status({ status: 'sent', pricing })).toMatchObject([
      { pricing: { category: 'utility', isBillable: true } },
    ]);
    expect(status({ status: 'played' })).toMatchObject([{ status: 'read' }]);
    expect(status({ status: 'warning' })).toEqual([]);
    expect(status({ status: 'something new' })).toMatchObject([
      { kind: 'unprocessed', reason: 'unknown_kind' },
    ]);
  });

  test('that failed say why; restrictions concern the account', () => {
    const fail = (code: number) => status({ status: 'failed', errors: [{ code, title: 'A title' }] });
    expect(fail(131047)).toMatchObject([{ status: 'failed', error: { code: 'window_closed' } }]);
    expect(fail(131026)).toMatchObject([{ error: { code: 'recipient_unavailable' } }]);
    expect(fail(131048)).toMatchObject([
      { error: { code: 'spam_rate_limited' } },
      { kind: 'limit', restriction: { kind: 'spam_rate_limited' } },
    ]);
    expect(fail(999_999)).toMatchObject([
      { error: { code: 'rejected_by_channel', detail: 'WhatsApp error 999999: A title' } },
    ]);
    expect(status({ status: 'failed' })).toMatchObject([{ error: { code: 'rejected_by_channel' } }]);
  });
});

test('restrictions of the business account are told, and that they end', () => {
  const update = (value: object): Json =>
    readWebhook(toWebhook([{ field: 'account_update', value }]))[0]!.signals as unknown as Json;
  expect(
    update({
      event: 'ACCOUNT_RESTRICTION',
      restriction_info: [
        { restriction_type: 'RESTRICTED_BIZ_INITIATED_MESSAGING', expiration: 1_750_000_000 },
      ],
    }),
  ).toEqual([
    {
      kind: 'limit',
      restriction: { kind: 'restricted_biz_initiated_messaging', until: new Date(1_750_000_000_000) },
    },
  ]);
  const banned = (state: string) => update({ event: 'DISABLED_UPDATE', ban_info: { waba_ban_state: state } });
  expect(banned('DISABLE')).toMatchObject([{ restriction: { kind: 'account_disabled' } }]);
  expect(banned('REINSTATE')).toMatchObject([{ restriction: null }]);
  expect(update({ event: 'VERIFIED_ACCOUNT' })).toEqual([]);
});

test('a changed template makes the templates be read again', () => {
  const value = { event: 'APPROVED', message_template_name: 'hello' };
  const [read] = readWebhook(toWebhook([{ field: 'message_template_status_update', value }]));
  expect(read!.areTemplatesChanged).toBe(true);
});

test('fields of the wrong type are missing, and nothing fails', () => {
  const odd: Json[] = [null, 0, '', [], {}, [null], { a: 1 }, 'x', true, { id: [] }, -1, 1e308];
  for (const value of odd)
    for (const type of ['text', 'image', 'location', 'contacts', 'interactive', 'button', 'order', 'system'])
      expect(() => readItem({ type, [type]: value }), `${type} ${JSON.stringify(value)}`).not.toThrow();
  for (const value of odd) {
    for (const type of ['reaction', 'edit', 'revoke', 'constructor', '__proto__', 'toString'])
      expect(() => readItem({ type, [type]: value })).not.toThrow();
    expect(() => readItem({ type: 'text', text: { body: 'x' }, timestamp: value })).not.toThrow();
    for (const list of ['messages', 'statuses', 'errors', 'groups', 'state_sync', 'message_echoes'])
      expect(() => readWebhook(toWebhook([toChange(metadata, { [list]: [value] })]))).not.toThrow();
  }
});
