import { describe, expect, test } from 'vitest';
import type { IngressOutcome } from '../contract/ingress.ts';
import type { Json } from '../contract/json.ts';
import { atPointer, fill, toForm } from './fields.ts';
import { smsGatewayDriver } from './sms-gateway.driver.ts';

const SECRET = 'a-secret-of-the-callbacks';
const FIELDS = {
  inbound: { id: '/sms/id', from: '/sms/from', text: '/sms/text' },
  status: { id: '/report/id', value: '/report/state', failed: ['BAD'] },
};

interface Given {
  method?: 'GET' | 'POST';
  query?: string;
  headers?: Record<string, string>;
  body?: string;
  settings?: Json;
}
function receive({
  method = 'POST',
  query = `secret=${SECRET}`,
  headers = {},
  body = '',
  settings = FIELDS,
}: Given) {
  const url = `https://fairlead.example.com/channels/token?${query}`;
  const request = {
    method,
    url,
    query: new URL(url).searchParams,
    headers,
    body: Buffer.from(body),
    at: new Date(),
  };
  return smsGatewayDriver.ingress!.receive(request, { settings, credentials: { callback_secret: SECRET } });
}
const postJson = (body: unknown, more: Given = {}): IngressOutcome =>
  receive({ headers: { 'content-type': 'application/json' }, body: JSON.stringify(body), ...more });

describe('a callback', () => {
  const sms = { sms: { id: 7, from: '+15557654321', text: 'Hi' } };

  test('is read from JSON, a form or a query', () => {
    const part = { kind: 'message', id: '7', from: '+15557654321', text: 'Hi' };
    expect(postJson(sms)).toMatchObject({ parts: [{ id: 'message/7', body: part }] });
    const settings = { inbound: { id: 'id', from: 'from', text: 'text' } };
    const form = String(new URLSearchParams({ id: '7', from: '+15557654321', text: 'Hi' }));
    expect(receive({ body: form, settings })).toMatchObject({ parts: [{ body: part }] });
    const query = `secret=${SECRET}&${form}`;
    expect(receive({ method: 'GET', query, settings })).toMatchObject({ parts: [{ body: part }] });
  });

  test.each<[string, Given]>([
    ['without the secret', { query: '' }],
    ['with another secret', { query: 'secret=a-secret-of-the-callbackz' }],
    ['with a cut secret', { query: `secret=${SECRET.slice(0, -1)}` }],
    ['with the secret where it does not belong', { query: '', headers: { secret: SECRET } }],
  ])('%s is refused', (_, given) => {
    expect(postJson(sms, given)).toMatchObject({ kind: 'refused', code: 'signature_invalid' });
  });

  test('keeps the digits of IDs that are numbers', () => {
    const body = JSON.stringify(sms).replace('7,', '8202522731445525543,');
    expect(receive({ headers: { 'content-type': 'application/json' }, body })).toMatchObject({
      parts: [{ id: 'message/8202522731445525543', body: { id: '8202522731445525543' } }],
    });
  });

  test('proves itself by a header if that is set', () => {
    const settings = { ...FIELDS, secret_in: 'header', secret_name: 'X-Secret' };
    const headers = { 'content-type': 'application/json', 'x-secret': SECRET };
    expect(postJson(sms, { settings, headers, query: '' }).kind).toBe('accepted');
    expect(postJson(sms, { settings }).kind).toBe('refused');
  });

  test('reports statuses; those in between are ignored, and unknown ones are kept', () => {
    const report = (state: string) => postJson({ report: { id: 'm1', state } });
    expect(report('delivered')).toMatchObject({
      parts: [{ body: { kind: 'status', id: 'm1', status: 'delivered' } }],
    });
    expect(report('BAD')).toMatchObject({ parts: [{ body: { status: 'failed', value: 'BAD' } }] });
    expect(report('Queued')).toEqual({ kind: 'accepted', parts: [] });
    expect(report('on its way')).toMatchObject({ parts: [{ body: { status: null, value: 'on its way' } }] });
  });

  test.each<[string, unknown]>([
    ['nothing', {}],
    ['no JSON object', 'text'],
    ['a text without a sender', { sms: { id: 1, text: 'Hi' } }],
    ['a text without an ID', { sms: { from: '1', text: 'Hi' } }],
    ['a status without an ID', { report: { state: 'sent' } }],
  ])('with %s is refused', (_, body) => {
    expect(postJson(body)).toMatchObject({ kind: 'refused', code: 'invalid_request' });
  });
});

describe('fields', () => {
  test('are filled without reading what was filled in', () => {
    const template = {
      to: ['{to}'],
      message: { text: 'Re: {text}', kind: 1 },
      other: '{unknown} {constructor}',
    };
    expect(fill(template, { to: '+1', text: '{to} "quoted"' })).toEqual({
      to: ['+1'],
      message: { text: 'Re: {to} "quoted"', kind: 1 },
      other: '{unknown} {constructor}',
    });
    expect(String(toForm({ to: '+1', flag: true }))).toBe('to=%2B1&flag=true');
  });

  test('are found by JSON pointers', () => {
    const json = { a: [{ 'b/c': 5 }], constructor: 'x' };
    expect(atPointer(json, '/a/0/b~1c')).toBe('5');
    expect(atPointer(json, '/constructor')).toBe('x');
    for (const pointer of ['/a', '/a/1', '/toString', '/a/0/b~1c/d', '/__proto__/x'])
      expect(atPointer(json, pointer)).toBeNull();
  });
});
