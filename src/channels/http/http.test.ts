import type http from 'node:http';
import { createSecretKey } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { allowing, startEgress, startHttp } from '../../../test/support/egress.ts';
import { parseSecret, getSignature, isSignedBy } from '../../platform/crypto/webhook-signature.ts';
import { DriverError } from '../contract/driver-error.ts';
import type { IngressOutcome } from '../contract/ingress.ts';
import type { Json } from '../contract/json.ts';
import { createPostAction, Sent } from './actions.ts';
import { httpDriver } from './http.driver.ts';
import { reviveSignal } from '../contract/revive-signal.ts';

const SECRET = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';
const OTHER = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const AT = new Date('2026-01-15T09:30:00.000Z');
const SECONDS = AT.getTime() / 1000;
const getKey = (secret: string) => createSecretKey(parseSecret(secret)!);
const MESSAGE = { signal: 'message', external_id: 'm1', from: 'ada', type: 'text', text: 'Hi' };

interface Changes {
  secret?: string;
  id?: string;
  timestamp?: number;
  /** Replaces headers after signing. */
  headers?: Record<string, string>;
  /** Replaces the body after signing. */
  sent?: string;
  at?: Date;
}
function receive(body: unknown, changes: Changes = {}): IngressOutcome {
  const { secret = SECRET, id = 'w1', timestamp = SECONDS, headers = {}, at = AT } = changes;
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const url = 'https://fairlead.example.com/channels/token';
  return httpDriver.ingress!.receive(
    {
      method: 'POST',
      url,
      query: new URL(url).searchParams,
      headers: {
        'webhook-id': id,
        'webhook-timestamp': String(timestamp),
        'webhook-signature': getSignature([getKey(secret)], id, timestamp, text),
        ...headers,
      },
      body: Buffer.from(changes.sent ?? text),
      at,
    },
    { settings: {}, credentials: { secret: SECRET } },
  );
}
const signals = (outcome: IngressOutcome) =>
  outcome.kind === 'accepted' ? outcome.parts.map(({ body }) => reviveSignal(body)) : outcome;

describe('a request of a bridge', () => {
  test('is read if it is signed, each signal under an ID that a repeated request repeats', () => {
    const body = { signals: [MESSAGE, { signal: 'typing', from: 'ada', is_typing: true }] };
    const outcome = receive(body);
    expect(outcome).toMatchObject({ kind: 'accepted', parts: [{ id: 'w1/0' }, { id: 'w1/1' }] });
    expect(receive(body, { timestamp: SECONDS + 10 })).toMatchObject({
      parts: [{ id: 'w1/0' }, { id: 'w1/1' }],
    });
    const ada = { kind: 'direct', key: 'ada', address: 'ada', title: null };
    expect(signals(outcome)).toMatchObject([
      { kind: 'message', externalId: 'm1', chat: ada, from: 'ada', fromMe: false, text: 'Hi', at: AT },
      { kind: 'typing', chat: ada, isTyping: true },
    ]);
  });

  const signature = getSignature([getKey(SECRET)], 'w1', SECONDS, JSON.stringify({ signals: [MESSAGE] }));
  test.each<[string, Changes, string]>([
    ['by another secret', { secret: OTHER }, 'signature_invalid'],
    ['with another body', { sent: '{"signals":[]}' }, 'signature_invalid'],
    ['with a cut body', { sent: JSON.stringify({ signals: [MESSAGE] }).slice(0, -1) }, 'signature_invalid'],
    [
      'with a cut signature',
      { headers: { 'webhook-signature': signature.slice(0, 20) } },
      'signature_invalid',
    ],
    ['with an empty signature', { headers: { 'webhook-signature': 'v1,' } }, 'signature_invalid'],
    ['without a signature', { headers: { 'webhook-signature': '' } }, 'signature_invalid'],
    [
      'of another version',
      { headers: { 'webhook-signature': signature.replace('v1', 'v2') } },
      'signature_invalid',
    ],
    ['under another id', { headers: { 'webhook-id': 'w2' } }, 'signature_invalid'],
    ['without an id', { headers: { 'webhook-id': '' } }, 'signature_invalid'],
    ['with an id that holds a dot', { id: 'w1.1768469400' }, 'signature_invalid'],
    ['with another time', { headers: { 'webhook-timestamp': String(SECONDS + 1) } }, 'signature_invalid'],
    ['without a time', { headers: { 'webhook-timestamp': '' } }, 'signature_invalid'],
    ['that is replayed later', { at: new Date(AT.getTime() + 301_000) }, 'signature_expired'],
    ['from the future', { at: new Date(AT.getTime() - 301_000) }, 'signature_expired'],
  ])('%s is refused', (_, changes, code) => {
    expect(receive({ signals: [MESSAGE] }, changes)).toMatchObject({ kind: 'refused', code });
  });

  test.each<[string, unknown, string]>([
    ['is not JSON', '{', ''],
    ['has no signals', {}, '/signals'],
    ['has none', { signals: [] }, '/signals'],
    ['has too many', { signals: Array.from({ length: 101 }, () => MESSAGE) }, '/signals'],
    ['has an unknown signal', { signals: [MESSAGE, { signal: 'poke' }] }, '/signals/1/signal'],
    ['is null', { signals: [null] }, '/signals/0/signal'],
    ['lacks a field', { signals: [{ ...MESSAGE, from: undefined }] }, '/signals/0/from'],
    ['has an unknown field', { signals: [{ ...MESSAGE, txt: 'Hi' }] }, '/signals/0/txt'],
    [
      'has too long an id',
      { signals: [{ ...MESSAGE, external_id: 'x'.repeat(256) }] },
      '/signals/0/external_id',
    ],
    [
      'has a file that is no URL',
      { signals: [{ ...MESSAGE, file: { url: 'file:///etc' } }] },
      '/signals/0/file/url',
    ],
    ['has a wrong time', { signals: [{ ...MESSAGE, at: 'now' }] }, '/signals/0/at'],
    ['has a wrong address', { signals: [{ ...MESSAGE, from: 'a\u0007b' }] }, '/signals/0'],
    ['names no message', { signals: [{ signal: 'receipt', status: 'read' }] }, '/signals/0/external_id'],
  ])('whose body %s is refused with the fields that are wrong', (_, body, pointer) => {
    const outcome = receive(body);
    expect(outcome).toMatchObject({ kind: 'refused', code: 'invalid_request' });
    const { errors = [] } = outcome as { errors?: { pointer: string }[] };
    if (pointer !== '') expect(errors.map((error) => error.pointer)).toContain(pointer);
  });

  test('converts every other signal', () => {
    const outcome = receive({
      signals: [
        { signal: 'receipt', client_id: 'msg_1', status: 'failed', at: '2026-01-15T09:29:00Z' },
        { signal: 'edit', external_id: 'm1', text: 'Ho' },
        { signal: 'revoke', external_id: 'm1' },
        { signal: 'reaction', external_id: 'm2', from: ' ada ', emoji: null },
        { signal: 'contact', address: 'ada', name: 'Ada', is_contact: true },
        { signal: 'same_person', addresses: [' ada', 'id:7'], former: ['old'] },
        {
          signal: 'group',
          address: 'crew',
          membership: 'joined',
          subject: 'Crew',
          participants: [{ address: 'ada', role: 'owner' }],
        },
      ],
    });
    expect(signals(outcome)).toMatchObject([
      {
        kind: 'receipt',
        clientId: 'msg_1',
        status: 'failed',
        error: { code: 'rejected_by_channel' },
        at: new Date('2026-01-15T09:29:00Z'),
      },
      { kind: 'edited', externalId: 'm1', text: 'Ho' },
      { kind: 'revoked', externalId: 'm1' },
      { kind: 'reacted', externalId: 'm2', author: 'ada', emoji: null },
      { kind: 'profile', address: 'ada', name: 'Ada', isContact: true },
      { kind: 'same_person', addresses: ['ada', 'id:7'], former: ['old'] },
      {
        kind: 'group',
        key: 'crew',
        membership: 'joined',
        about: { subject: 'Crew' },
        participants: { all: [{ address: 'ada', role: 'owner', name: null }] },
      },
    ]);
  });
});

describe('an action', () => {
  const post = async (answer: http.RequestListener) => {
    const { port } = await startHttp(answer);
    const egress = startEgress({ allow: allowing('127.0.0.1') });
    const url = `http://127.0.0.1:${port}/`;
    return createPostAction(egress, { url, key: getKey(SECRET), instance: 'ins_1' });
  };
  const { signal } = new AbortController();

  test('is signed', async () => {
    let isGenuine = false;
    const action = await post((request, response) => {
      void buffer(request).then((body) => {
        const [id, timestamp, given] = ['id', 'timestamp', 'signature'].map(
          (name) => request.headers[`webhook-${name}`] as string,
        );
        isGenuine =
          id === 'msg_1' &&
          isSignedBy([getKey(SECRET)], { id, timestamp: timestamp!, signature: given! }, body);
        response.end('{"external_id":"m9"}');
      });
    });
    const sent = await action({ action: 'send' }, Sent, { signal, id: 'msg_1' });
    expect([isGenuine, sent.external_id]).toEqual([true, 'm9']);
  });

  const error = (code: string, more: { retry_after?: number } = {}): Json => ({
    error: { code, detail: 'Because.', ...more },
  });
  test.each<[number, Json, string, string]>([
    [200, error('recipient_unknown'), 'rejected', 'recipient_unknown'],
    [200, error('queue_full', { retry_after: 5 }), 'busy', 'queue_full'],
    [422, error('too_long'), 'rejected', 'too_long'],
    [422, error('Not A Code'), 'rejected', 'rejected_by_channel'],
    [401, error('secret_wrong'), 'refused', 'secret_wrong'],
    [403, null, 'refused', 'authentication_failed'],
    [429, error('slow_down', { retry_after: 5 }), 'busy', 'slow_down'],
    [503, null, 'busy', 'channel_unavailable'],
    [500, error('crashed'), 'unknown', 'crashed'],
    [200, error('account_restricted', { retry_after: 60 }), 'restricted', 'account_restricted'],
    [200, { external_id: 5 }, 'unknown', 'invalid_answer'],
    [200, 'no object', 'unknown', 'invalid_answer'],
  ])('answered with %i and %j is %s', async (status, body, kind, code) => {
    const action = await post((_, response) => response.writeHead(status).end(JSON.stringify(body)));
    const failure = await action({ action: 'send' }, Sent, { signal }).catch((thrown: unknown) => thrown);
    expect(failure).toBeInstanceOf(DriverError);
    expect(failure).toMatchObject({ kind, code });
  });
});
