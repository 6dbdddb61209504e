/** Tests the effect of Meta's errors on a message and on the connection. */
import { expect, test } from 'vitest';
import type { Json } from '../contract/json.ts';
import { classify } from './errors.ts';

const toAnswer = (status: number, json: Json, headers: Record<string, string> = {}) => ({
  status,
  headers,
  body: Buffer.from(JSON.stringify(json)),
  json,
});
const call = (status: number, code: number, isSafe = false, headers = {}) =>
  classify(toAnswer(status, { error: { message: '(#1) A message', code } }, headers), { isSafe });

test.each([
  [401, 190, 'refused', 'token_expired'],
  [403, 10, 'refused', 'permission_missing'],
  [403, 200, 'refused', 'permission_missing'],
  [403, 299, 'refused', 'permission_missing'],
  [400, 33, 'refused', 'number_unknown'],
  [403, 368, 'restricted', 'policy_violation'],
  [403, 131031, 'restricted', 'account_locked'],
  [400, 131048, 'restricted', 'spam_rate_limited'],
  [400, 131049, 'rejected', 'recipient_limited'],
  [400, 130429, 'busy', 'rate_limited'],
  [400, 131056, 'busy', 'recipient_rate_limited'],
  [400, 131047, 'rejected', 'window_closed'],
  [404, 132001, 'rejected', 'unknown_template'],
  [503, 2, 'busy', 'channel_unavailable'],
  [500, 131000, 'unknown', 'no_answer'],
  [400, 100, 'rejected', 'invalid_parameter'],
  [400, 7_777_777, 'rejected', 'rejected_by_channel'],
  [500, 7_777_777, 'unknown', 'no_answer'],
])('status %i with code %i is %s: %s', (status, number, kind, code) => {
  expect(call(status, number)).toMatchObject({ kind, code });
});

test('a safe call has no uncertain outcome', () => {
  expect(call(500, 131000, true)).toMatchObject({ kind: 'busy' });
  expect(call(502, 7_777_777, true)).toMatchObject({ kind: 'busy' });
});

test('waits are as Meta says, else as its limits are', () => {
  expect(call(400, 131056)!.retryAfterMs).toBe(6_000);
  expect(call(429, 130429, false, { 'retry-after': '30' })!.retryAfterMs).toBe(30_000);
});

test('details say what to do, in one line', () => {
  const error = { message: 'first', code: 131047, error_data: { details: 'More\r\nthan 24 hours.' } };
  const { message } = classify(toAnswer(400, { error }), { isSafe: false })!;
  expect(message).toBe(
    'WhatsApp error 131047: More than 24 hours. The recipient has not written in 24 hours. Send a template.',
  );
});

test('a success is none, and answers without an error object go by their status', () => {
  expect(classify(toAnswer(200, {}), { isSafe: false })).toBeNull();
  for (const json of [null, [], 'x', { error: 'x' }, { error: { code: 'x' } }])
    expect(classify(toAnswer(400, json), { isSafe: false })).toMatchObject({ kind: 'rejected' });
});
