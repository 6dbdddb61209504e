/** Tests rejected requests, responses, and how a batch is split. */
import { createHmac } from 'node:crypto';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { IngressOutcome, IngressRequest } from '../contract/ingress.ts';
import type { Json } from '../contract/json.ts';
import { ingress } from './ingress.ts';

const SECRET = '0123456789abcdef0123456789abcdef';
const account = {
  settings: { phone_number_id: '1', business_account_id: '9' },
  credentials: { access_token: 'EAAtoken-of-test', app_secret: SECRET, verify_token: 'verify-me' },
};

const toRequest = (changes: Partial<IngressRequest>): IngressRequest => ({
  method: 'POST',
  url: 'https://example.com/channels/x',
  query: new URLSearchParams(),
  headers: {},
  body: Buffer.alloc(0),
  at: new Date(),
  ...changes,
});

const sign = (body: Buffer, secret = SECRET): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

function post(payload: Json | string, signature?: string | null): IngressOutcome {
  const body = Buffer.from(typeof payload === 'string' ? payload : JSON.stringify(payload));
  const given = signature === undefined ? sign(body) : signature;
  return ingress.receive(
    toRequest({ body, headers: given === null ? {} : { 'x-hub-signature-256': given } }),
    account,
  );
}

const message = (id: string, phoneNumberId = '1'): Json => ({
  field: 'messages',
  value: {
    metadata: { phone_number_id: phoneNumberId, display_phone_number: '16505550000' },
    contacts: [{ wa_id: '16505551234', profile: { name: 'Ann' } }],
    messages: [{ id, from: '16505551234', timestamp: '1750000000', type: 'text', text: { body: id } }],
  },
});
const webhook = (...changes: Json[]): Json => ({
  object: 'whatsapp_business_account',
  entry: changes.map((change) => ({ id: '9', changes: [change] })),
});

const verify = (query: Record<string, string>): IngressOutcome =>
  ingress.receive(toRequest({ method: 'GET', query: new URLSearchParams(query) }), account);

test('the verification request gets its challenge, if the token is right', () => {
  const right = { 'hub.mode': 'subscribe', 'hub.verify_token': 'verify-me', 'hub.challenge': '1158201444' };
  expect(verify(right)).toEqual({
    kind: 'answered',
    answer: { status: 200, contentType: 'text/plain', body: '1158201444' },
  });
  expect(verify({ ...right, 'hub.verify_token': 'verify-m' })).toMatchObject({ code: 'signature_invalid' });
  expect(verify({ ...right, 'hub.verify_token': '' })).toMatchObject({ code: 'signature_invalid' });
  expect(verify({ ...right, 'hub.mode': 'unsubscribe' })).toMatchObject({ code: 'invalid_request' });
  expect(verify({ ...right, 'hub.challenge': '<script>' })).toMatchObject({ code: 'invalid_request' });
  expect(verify({})).toMatchObject({ code: 'invalid_request' });
});

test('forged, truncated and missing signatures are refused', () => {
  const payload = webhook(message('wamid.1'));
  const right = sign(Buffer.from(JSON.stringify(payload)));
  expect(post(payload, right)).toMatchObject({ kind: 'accepted' });
  const wrong = [
    null,
    '',
    'sha256=',
    right.slice(0, -1),
    right.slice(0, 20),
    `${right}0`,
    right.replace('sha256=', 'sha1='),
    right.replace('sha256=', ''),
    right.toUpperCase(),
    `sha256=${'0'.repeat(64)}`,
    sign(Buffer.from(JSON.stringify(payload)), 'another secret of 32 characters.'),
    sign(Buffer.from(JSON.stringify(webhook(message('wamid.2'))))),
    `${right}, ${right}`,
  ];
  for (const signature of wrong)
    expect(post(payload, signature), String(signature)).toMatchObject({
      kind: 'refused',
      code: 'signature_invalid',
    });
});

test('the signature is of the bytes, not of what they mean', () => {
  const escaped = JSON.stringify(webhook(message('wamid.é'))).replaceAll('é', '\\u00e9');
  expect(post(escaped)).toMatchObject({ kind: 'accepted' });
  expect(post(escaped, sign(Buffer.from(escaped.replaceAll('\\u00e9', 'é'))))).toMatchObject({
    code: 'signature_invalid',
  });
});

test('what is signed but no webhook of WhatsApp is refused', () => {
  const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
  for (const body of ['', 'x', 'null', '[]', '{}', '{"object":"page","entry":[]}', deep])
    expect(post(body), body.slice(0, 20)).toMatchObject({ kind: 'refused', code: 'invalid_request' });
});

test('what is no change is kept as it is', () => {
  const entry: Json = [null, 1, {}, { changes: [{}, 'x', { field: 'messages', value: { messages: [7] } }] }];
  const outcome = post({ object: 'whatsapp_business_account', entry });
  if (outcome.kind !== 'accepted') throw new Error(outcome.kind);
  expect(outcome.parts.map(({ body }) => body)).toMatchObject([
    ...[null, 1, {}, {}, 'x'].map((item) => ({ list: 'unknown', field: '', item })),
    { list: 'unknown', field: 'messages', item: { value: { messages: [7] } } },
  ]);
});

test('a batch of 50 entries of four numbers is split, each part for its number', () => {
  const changes = Array.from({ length: 50 }, (_, nth) => message(`wamid.${nth}`, String((nth % 4) + 1)));
  const outcome = post(webhook(...changes));
  if (outcome.kind !== 'accepted') throw new Error(outcome.kind);
  expect(outcome.parts).toHaveLength(50);
  expect(outcome.parts.map(({ accountKey }) => accountKey)).toEqual(
    changes.map((_, nth) => String((nth % 4) + 1)),
  );
  expect(outcome.parts[7]!.body).toMatchObject({ list: 'messages', item: { id: 'wamid.7' }, name: 'Ann' });
  expect(new Set(outcome.parts.map(({ id }) => id)).size).toBe(50);
  expect(outcome.parts.every(({ id }) => id.length <= 200)).toBe(true);
});

test('a repeated delivery has the same IDs, alone or in another batch', () => {
  const ids = (outcome: IngressOutcome): string[] =>
    outcome.kind === 'accepted' ? outcome.parts.map(({ id }) => id) : [];
  const [first, second] = ids(post(webhook(message('wamid.1'), message('wamid.2'))));
  expect(ids(post(webhook(message('wamid.2'))))).toEqual([second]);
  expect(ids(post(webhook(message('wamid.1'))))).toEqual([first]);
  expect(first).not.toBe(second);
});

test('a long text that every part would repeat is cut, or its change is not split', () => {
  const long = 'x'.repeat(100_000);
  const items = Array.from({ length: 1000 }, (_, nth) => ({ id: `wamid.${nth}`, from: '1' }));
  const toChange = (field: string, number: string, name: string): Json => ({
    field,
    value: {
      metadata: { phone_number_id: number },
      contacts: [{ wa_id: '1', profile: { name } }],
      messages: items,
    },
  });
  const outcome = post(
    webhook(toChange('messages', '1', long), toChange(long, '1', 'Ann'), toChange('messages', long, 'Ann')),
  );
  if (outcome.kind !== 'accepted') throw new Error(outcome.kind);
  expect(outcome.parts).toHaveLength(1002);
  expect(outcome.parts.slice(1000)).toMatchObject([
    { body: { list: 'unknown' } },
    { body: { list: 'unknown' } },
  ]);
  expect(outcome.parts[0]!.body).toMatchObject({ name: 'x'.repeat(200) });
});

test('a body with too many values is refused before it is parsed', () => {
  const body = `{"object":"whatsapp_business_account","entry":[${'[],'.repeat(1_000_000)}[]]}`;
  const parsed = vi.spyOn(JSON, 'parse');
  onTestFinished(() => parsed.mockRestore());
  expect(post(body)).toMatchObject({ kind: 'refused', code: 'invalid_request' });
  expect(parsed).not.toHaveBeenCalled();
});

test('account events have no number, and belong to the URL', () => {
  const event = { field: 'account_update', value: { event: 'DISABLED_UPDATE' } };
  expect(post(webhook(event))).toMatchObject({
    parts: [{ accountKey: null, body: { list: 'value', field: 'account_update' } }],
  });
  expect(ingress.shared!.accountKey(account.settings)).toBe('1');
});
