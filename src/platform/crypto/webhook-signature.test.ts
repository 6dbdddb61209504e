import { createSecretKey } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { isSignedBy, getSignature } from './webhook-signature.ts';

const KEY = createSecretKey(Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64'));
const OTHER = createSecretKey(Buffer.alloc(32, 7));
const ID = 'msg_p5jXN8AQM9LWM0D4loKWxJek';
const TIMESTAMP = 1_614_265_330;
const BODY = '{"test": 2432232314}';
const SIGNATURE = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=';

describe('signatures', () => {
  test('are those of the vector of Standard Webhooks', () => {
    expect(getSignature([KEY], ID, TIMESTAMP, BODY)).toBe(SIGNATURE);
  });

  test('after a rotation are by both keys, and either verifies', () => {
    const signature = getSignature([OTHER, KEY], ID, TIMESTAMP, BODY);
    expect(signature.split(' ')).toHaveLength(2);
    expect(signature.endsWith(SIGNATURE)).toBe(true);
    const given = { id: ID, timestamp: String(TIMESTAMP), signature };
    for (const key of [KEY, OTHER]) expect(isSignedBy([key], given, Buffer.from(BODY))).toBe(true);
  });

  test.each([
    ['another body', { body: `${BODY} ` }],
    ['another id', { id: 'msg_other' }],
    ['another time', { timestamp: String(TIMESTAMP + 1) }],
    ['another key', { keys: [OTHER] }],
    ['another version', { signature: SIGNATURE.replace('v1,', 'v1a,') }],
    ['a cut signature', { signature: SIGNATURE.slice(0, 20) }],
    ['none', { signature: '' }],
  ])('by %s are refused', (_name, change) => {
    const { keys, body, ...given } = {
      keys: [KEY],
      body: BODY,
      id: ID,
      timestamp: String(TIMESTAMP),
      signature: SIGNATURE,
      ...change,
    };
    expect(isSignedBy(keys, given, Buffer.from(body))).toBe(false);
  });
});
