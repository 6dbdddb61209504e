/** Every part of a signed webhook gives a signal, is kept, or is ignored on purpose. */
import { describe, expect, test } from 'vitest';
import { GROUP_ID } from '../../../test/support/channels/whatsapp/description.ts';
import type { Json } from '../contract/json.ts';
import { splitChange, type WebhookPart } from './ingress.ts';
import { readPart } from './signals.ts';

const OWN = '+16505550000';
const read = (change: Json) =>
  [...splitChange(change)].flatMap(({ body }) => {
    const { signals, messages, areTemplatesChanged } = readPart(
      body as unknown as WebhookPart,
      OWN,
      new Date(),
    );
    return [
      ...signals.map((signal) => (signal.kind === 'unprocessed' ? signal.reason : signal.kind)),
      ...messages.map(() => 'message'),
      ...(areTemplatesChanged ? ['templates'] : []),
    ];
  });
const inList = (list: string, item: Json, field = 'messages'): Json => ({ field, value: { [list]: [item] } });
const hello = { id: 'wamid.1', from: '16505551234', type: 'text', text: { body: 'Hi' } };
const message = (change: { [name: string]: Json }): Json => inList('messages', { ...hello, ...change });

test.each<[string, Json, string]>([
  ['no object', 7, 'malformed'],
  ['nothing', null, 'malformed'],
  ['a change without a field', { value: {} }, 'malformed'],
  ['a change without a value', { field: 'messages' }, 'unknown_kind'],
  ['an unknown field', { field: 'calls', value: { calls: [{ id: '1' }] } }, 'unknown_kind'],
  ['a list that is none', { field: 'messages', value: { messages: {} } }, 'unknown_kind'],
  ['an item that is no object', inList('messages', 'x'), 'unknown_kind'],
  ['a message without an ID', message({ id: null }), 'malformed'],
  ['a message without a sender', message({ from: null }), 'no_sender'],
  ['a message from no address', message({ from: 'nobody' }), 'no_sender'],
  ['an update of an ID without a new one', inList('user_id_update', { wa_id: 'x' }), 'malformed'],
  ['a reaction to nothing', message({ type: 'reaction', reaction: { emoji: 'x' } }), 'malformed'],
  ['an edit of nothing', message({ type: 'edit', edit: {} }), 'malformed'],
  ['a revocation of nothing', message({ type: 'revoke' }), 'malformed'],
  ['a status without an ID', inList('statuses', { status: 'sent' }), 'malformed'],
  ['a status without a status', inList('statuses', { id: '1' }), 'malformed'],
  ['an unknown status', inList('statuses', { id: '1', status: 'toasted' }), 'unknown_kind'],
  [
    'the status of a payment',
    inList('statuses', { id: '1', status: 'failed', type: 'payment', payment: { reference_id: 'r1' } }),
    'unknown_kind',
  ],
  [
    'the status of a call',
    inList('statuses', { id: 'wacid.1', status: 'RINGING', type: 'call' }, 'calls'),
    'unknown_kind',
  ],
  ...[
    'group_suspend',
    'group_suspend_cleared',
    'group_join_request_created',
    'group_join_request_revoked',
  ].map((type): [string, Json, string] => [
    `a change of a group of the type ${type}`,
    inList('groups', { group_id: GROUP_ID, type, join_request_id: 'j1', wa_id: '16505551234' }),
    'unknown_kind',
  ]),
  ['a group without an ID', inList('groups', { type: 'group_create' }), 'malformed'],
  ['a contact without a number', inList('state_sync', { type: 'contact', contact: {} }), 'malformed'],
  ['an unknown state', inList('state_sync', { type: 'label' }), 'unknown_kind'],
  ['an account without an event', { field: 'account_update', value: {} }, 'malformed'],
  ['an unknown event', { field: 'account_update', value: { event: 'NEW' } }, 'unknown_kind'],
])('%s is kept', (_, change, reason) => {
  expect(read(change)).toEqual([reason]);
});

test.each<[string, Json]>([
  ['fields of the app', { field: 'security', value: { event: 'PIN_CHANGED' } }],
  ['a status that changes nothing', inList('statuses', { id: '1', status: 'warning' })],
  ['a removed contact', inList('state_sync', { type: 'contact', action: 'remove' })],
  ['an event that limits nothing', { field: 'account_update', value: { event: 'PARTNER_ADDED' } }],
  ['a failed change of a group', inList('groups', { group_id: GROUP_ID, errors: [] })],
])('%s: ignored on purpose', (_, change) => {
  expect(read(change)).toEqual([]);
});

test('the quality of a number makes no part of a webhook', () => {
  const value = { event: 'FLAGGED', current_limit: 'TIER_1K' };
  expect([...splitChange({ field: 'phone_number_quality_update', value })]).toEqual([]);
});

describe('what a message of an unknown type is', () => {
  test('a message that has its content', () => {
    const item = { ...hello, type: 'hologram', hologram: { depth: 3 } };
    const { messages } = readPart({ field: 'messages', list: 'messages', item, name: null }, OWN, new Date());
    expect(messages[0]!.message).toMatchObject({
      text: expect.stringContaining('Unsupported'),
      channelData: { unsupported: { type: 'hologram', content: { hologram: { depth: 3 } } } },
    });
  });
});

test('an unknown list beside a known one is kept, with the people whom it names', () => {
  const contacts = [{ wa_id: '16505551234', profile: { name: 'Ann' } }];
  const calls = [{ id: 'wacid.1', from: '16505551234', event: 'connect' }];
  const value = { messaging_product: 'whatsapp', metadata: {}, contacts, messages: [hello], calls };
  expect(read({ field: 'messages', value })).toEqual(['message', 'unknown_kind']);
  const kept = [...splitChange({ field: 'messages', value })].at(-1)!.body;
  expect(kept).toMatchObject({ list: 'unknown', item: { field: 'messages', value: { contacts, calls } } });
  expect(JSON.stringify(kept)).not.toContain(hello.id);
  // Read again, it is stored unchanged.
  expect(readPart(kept as unknown as WebhookPart, OWN, new Date()).signals).toMatchObject([
    { kind: 'unprocessed', reason: 'unknown_kind', raw: kept },
  ]);
  expect(read({ field: 'messages', value: { ...value, calls: [] } })).toEqual(['message']);
});

test('what was kept is read once its kind is known', () => {
  const part = {
    field: 'messages',
    list: 'unknown',
    item: message({}),
    name: null,
  } as unknown as WebhookPart;
  expect(readPart(part, OWN, new Date()).messages).toHaveLength(1);
});

test('what was kept whole is read as far as its kinds are known', () => {
  const item = { field: 'messages', value: { messages: [hello], calls: [{ id: 'wacid.1' }] } };
  const part = { field: 'messages', list: 'unknown', item, name: null } as unknown as WebhookPart;
  const { signals, messages } = readPart(part, OWN, new Date());
  expect(messages).toHaveLength(1);
  const raw = { ...part, item: { field: 'messages', value: { calls: [{ id: 'wacid.1' }] } } };
  expect(signals).toEqual([{ kind: 'unprocessed', reason: 'unknown_kind', type: 'messages', raw }]);
});
