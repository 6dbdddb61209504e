import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Problem } from '../../../../platform/http/problem.ts';
import { getDeliveryId } from './delivery-id.ts';
import type { HmacOptions } from './hmac-scheme.ts';
import {
  PUBLISHED_EXAMPLES,
  type PublishedExample,
  GITHUB,
  SLACK,
  STANDARD_WEBHOOKS,
  STRIPE,
} from './published-examples.ts';
import { type SignatureRules, verifySignature } from './verify.ts';

const at = (seconds: number | null): Date => new Date((seconds ?? 1_700_000_000) * 1000);

/** @returns the code that a request is refused by, or `accepted` */
function outcome(
  rules: SignatureRules,
  secrets: readonly string[],
  headers: Record<string, string>,
  body: string | Buffer,
  now: Date,
): string {
  try {
    verifySignature(rules, secrets, { headers, body: Buffer.from(body as string) }, now);
    return 'accepted';
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    expect(error).toHaveStatus(401);
    return error.code;
  }
}

const getOutcome = (
  example: PublishedExample,
  changed: Partial<PublishedExample> = {},
  seconds = 0,
): string => {
  const { rules, secret, headers, body } = { ...example, ...changed };
  return outcome(rules, [secret], headers, body, at((example.signedAt ?? 1_700_000_000) + seconds));
};

/** Returns the text with another character at one position, within those allowed in HTTP headers. */
const altered = (text: string, place: number, by: number): string => {
  const nth = place % text.length;
  const code = 33 + ((text.charCodeAt(nth) - 33 + 1 + (by % 93)) % 94);
  return text.slice(0, nth) + String.fromCharCode(code) + text.slice(nth + 1);
};

describe.each(PUBLISHED_EXAMPLES.map((example) => [example.rules.scheme, example] as const))(
  'what %s publishes',
  (_scheme, example) => {
    test('verifies', () => {
      expect(getOutcome(example)).toBe('accepted');
    });

    test('is refused with any byte of the body changed, left out or added', () => {
      const bytes = Buffer.from(example.body);
      fc.assert(
        fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (place, by) => {
          const changed = Buffer.from(bytes);
          changed[place] = changed[place]! ^ by;
          const without = Buffer.concat([bytes.subarray(0, place), bytes.subarray(place + 1)]);
          const longer = Buffer.concat([bytes.subarray(0, place), Buffer.of(by), bytes.subarray(place)]);
          for (const body of [changed, without, longer])
            expect(
              outcome(example.rules, [example.secret], example.headers, body, at(example.signedAt)),
            ).toBe('signature_invalid');
        }),
      );
    });

    test('is refused with any character of what proves it changed', () => {
      // Stripe's v0 signature for tests is ignored.
      const upTo = (value: string): string => value.split(',v0=')[0]!;
      const names = Object.keys(example.headers);
      fc.assert(
        fc.property(fc.constantFrom(...names), fc.nat(10_000), fc.nat(92), (name, place, by) => {
          const value = upTo(example.headers[name]!);
          const headers = { ...example.headers, [name]: altered(value, place, by) };
          expect(getOutcome(example, { headers })).toBe('signature_invalid');
        }),
        { numRuns: 300 },
      );
    });

    test('is refused by another secret, without a header, and with one that makes no sense', () => {
      expect(getOutcome(example, { secret: `${example.secret}BBBB` })).toBe('signature_invalid');
      for (const name of Object.keys(example.headers)) {
        const { [name]: _gone, ...headers } = example.headers;
        expect(getOutcome(example, { headers })).toBe('signature_invalid');
        for (const value of ['', ',', '=', 'v1,', 't=,v1=', 'sha256=', 'v0=', 'x'.repeat(5_000)])
          expect(getOutcome(example, { headers: { ...headers, [name]: value } })).toBe('signature_invalid');
      }
    });

    test('counts with the secret before a rotation, and not after its time', () => {
      const { rules, secret, headers, body, signedAt } = example;
      const other = rules.scheme === 'standard_webhooks' ? `whsec_${'A'.repeat(32)}` : 'another secret';
      expect(outcome(rules, [other, secret], headers, body, at(signedAt))).toBe('accepted');
      expect(outcome(rules, [other], headers, body, at(signedAt))).toBe('signature_invalid');
      expect(outcome(rules, [], headers, body, at(signedAt))).toBe('signature_invalid');
    });

    test('is refused once it is old, and where its time is to come', () => {
      // GitHub says no time: that is not for this to notice.
      if (example.signedAt === null) {
        expect(getOutcome(example, {}, 10 ** 8)).toBe('accepted');
        return;
      }
      expect(getOutcome(example, {}, 300)).toBe('accepted');
      expect(getOutcome(example, {}, 301)).toBe('signature_expired');
      expect(getOutcome(example, {}, -300)).toBe('accepted');
      expect(getOutcome(example, {}, -301)).toBe('signature_expired');
      expect(getOutcome(example, { rules: { ...example.rules, toleranceSeconds: 600 } }, 301)).toBe(
        'accepted',
      );
      // Callers without the secret learn nothing.
      expect(getOutcome(example, { secret: 'another secret' }, 301)).toBe('signature_invalid');
    });
  },
);

test('of several signatures in a header one will do, wherever it stands', () => {
  const wrong = '0'.repeat(64);
  const [time, right] = STRIPE.headers['stripe-signature']!.split(',');
  for (const order of [`${time},v1=${wrong},${right}`, `${right}, v1=${wrong}, ${time}`])
    expect(getOutcome(STRIPE, { headers: { 'stripe-signature': order } })).toBe('accepted');
  expect(getOutcome(STRIPE, { headers: { 'stripe-signature': `${time},v1=${wrong}` } })).toBe(
    'signature_invalid',
  );
  const { 'webhook-signature': signature, ...rest } = STANDARD_WEBHOOKS.headers;
  for (const order of [`v1,AAAA ${signature}`, `${signature} v1a,AAAA`, `v1,AAAA v1, ${signature}`])
    expect(getOutcome(STANDARD_WEBHOOKS, { headers: { ...rest, 'webhook-signature': order } })).toBe(
      'accepted',
    );
});

test('a signature counts under its own version only', () => {
  const { 'webhook-signature': signature, ...rest } = STANDARD_WEBHOOKS.headers;
  const asymmetric = { ...rest, 'webhook-signature': signature!.replace('v1,', 'v1a,') };
  expect(getOutcome(STANDARD_WEBHOOKS, { headers: asymmetric })).toBe('signature_invalid');
  const older = { 'stripe-signature': STRIPE.headers['stripe-signature']!.replace('v1=', 'v0=') };
  expect(getOutcome(STRIPE, { headers: older })).toBe('signature_invalid');
  expect(
    getOutcome(GITHUB, {
      headers: {
        'x-hub-signature': `sha1=${createHmac('sha1', GITHUB.secret).update(GITHUB.body).digest('hex')}`,
      },
    }),
  ).toBe('signature_invalid');
});

test('a time that stands twice, or could be taken for a part of what it stands beside, is refused', () => {
  const { 'stripe-signature': signature } = STRIPE.headers;
  expect(getOutcome(STRIPE, { headers: { 'stripe-signature': `${signature},t=1533204620` } })).toBe(
    'signature_invalid',
  );
  // The same bytes are signed, read as another ID with an earlier time before another body.
  const key = Buffer.from(STANDARD_WEBHOOKS.secret.slice(6), 'base64');
  const signed = createHmac('sha256', key).update('a.1614265330.1614265331.{}').digest('base64');
  for (const [id, time, body, expected] of [
    ['a.1614265330', '1614265331', '{}', 'signature_invalid'],
    ['a', '1614265330', '1614265331.{}', 'accepted'],
  ] as const)
    expect(
      getOutcome(STANDARD_WEBHOOKS, {
        headers: { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': `v1,${signed}` },
        body,
      }),
    ).toBe(expected);
});

test("Svix's own names of the headers are read, one family at a time", () => {
  const {
    'webhook-id': id,
    'webhook-timestamp': time,
    'webhook-signature': signature,
  } = STANDARD_WEBHOOKS.headers;
  const svix = { 'svix-id': id!, 'svix-timestamp': time!, 'svix-signature': signature! };
  expect(getOutcome(STANDARD_WEBHOOKS, { headers: svix })).toBe('accepted');
  expect(getDeliveryId('standard_webhooks', svix, {})).toBe(id);
  const mixed = { 'svix-id': id!, 'webhook-timestamp': time!, 'webhook-signature': signature! };
  expect(getOutcome(STANDARD_WEBHOOKS, { headers: mixed })).toBe('signature_invalid');
  // Unverified requests have no ID.
  const both = { ...STANDARD_WEBHOOKS.headers, 'svix-id': 'another' };
  expect(getDeliveryId('standard_webhooks', both, {})).toBe(id);
});

test('an empty key signs nothing', () => {
  const headers = {
    ...STANDARD_WEBHOOKS.headers,
    'webhook-signature': `v1,${createHmac('sha256', '')
      .update('msg_p5jXN8AQM9LWM0D4loKWxJek.1614265330.{"test": 2432232314}')
      .digest('base64')}`,
  };
  expect(getOutcome(STANDARD_WEBHOOKS, { headers, secret: 'whsec_' })).toBe('signature_invalid');
});

describe('hmac', () => {
  const usual: HmacOptions = {
    header: 'X-Signature',
    algorithm: 'sha256',
    encoding: 'hex',
    prefix: '',
    timestamp_header: null,
    timestamp_format: 'unix',
    signed: 'body',
  };
  const now = new Date('2026-01-15T09:30:00.250Z');
  const body = '{"a":1}';
  const check = (options: Partial<HmacOptions>, headers: Record<string, string>, text = body) =>
    outcome(
      { scheme: 'hmac', hmac: { ...usual, ...options }, toleranceSeconds: 60 },
      ['a secret of mine'],
      headers,
      text,
      now,
    );
  const hmac = (algorithm: string, signed: string) =>
    createHmac(algorithm, 'a secret of mine').update(signed);

  test.each(['sha1', 'sha256', 'sha384', 'sha512'] as const)('by %s, in each encoding', (algorithm) => {
    for (const encoding of ['hex', 'base64', 'base64url'] as const) {
      const right = hmac(algorithm, body).digest(encoding);
      expect(check({ algorithm, encoding }, { 'x-signature': right })).toBe('accepted');
      expect(check({ algorithm, encoding, prefix: 'v=' }, { 'x-signature': `v=${right}` })).toBe('accepted');
      expect(check({ algorithm, encoding, prefix: 'v=' }, { 'x-signature': right })).toBe(
        'signature_invalid',
      );
      expect(check({ algorithm, encoding }, { 'x-signature': right }, `${body} `)).toBe('signature_invalid');
    }
    expect(check({ algorithm }, { 'x-signature': hmac(algorithm, body).digest('hex').toUpperCase() })).toBe(
      'accepted',
    );
    const unpadded = hmac(algorithm, body).digest('base64').replaceAll('=', '');
    expect(check({ algorithm, encoding: 'base64' }, { 'x-signature': unpadded })).toBe('accepted');
  });

  test.each([
    ['timestamp.body', 'unix', '1768469400', `1768469400.${body}`],
    ['timestampbody', 'unix_ms', '1768469400250', `1768469400250${body}`],
    ['timestamp:body', 'rfc3339', '2026-01-15T10:30:00+01:00', `2026-01-15T10:30:00+01:00:${body}`],
    ['v0:timestamp:body', 'unix', '1768469400', `v0:1768469400:${body}`],
  ] as const)('over %s with a time in %s', (signed, format, time, content) => {
    const options = { signed, timestamp_format: format, timestamp_header: 'X-Time' };
    const headers = { 'x-signature': hmac('sha256', content).digest('hex'), 'x-time': time };
    expect(check(options, headers)).toBe('accepted');
    expect(check(options, { ...headers, 'x-time': time.replace(/.$/, '9') })).toBe('signature_invalid');
    expect(check(options, { 'x-signature': headers['x-signature'] })).toBe('signature_invalid');
    expect(check({ ...options, timestamp_header: null }, headers)).toBe('signature_invalid');
  });

  test('a time that is signed rightly, but old or of another format', () => {
    const options = { signed: 'timestamp.body', timestamp_header: 'X-Time' } as const;
    const signedAt = (time: string) => ({
      'x-signature': hmac('sha256', `${time}.${body}`).digest('hex'),
      'x-time': time,
    });
    expect(check(options, signedAt('1768469340'))).toBe('signature_expired');
    expect(check(options, signedAt('1768469341'))).toBe('accepted');
    expect(check(options, signedAt('1768469460'))).toBe('accepted');
    expect(check(options, signedAt('1768469461'))).toBe('signature_expired');
    for (const time of ['1768469400250', '2026-01-15T09:30:00Z', ' ', '-1768469400', '176846940', 'NaN'])
      expect(check(options, signedAt(time))).toBe('signature_invalid');
  });
});

test('IDs of deliveries are those that are signed, where they are', () => {
  for (const { rules, headers, body, contentType, deliveryId } of PUBLISHED_EXAMPLES) {
    const payload = contentType.includes('json') ? JSON.parse(body) : {};
    expect(getDeliveryId(rules.scheme, headers, payload)).toBe(deliveryId);
  }
  expect(getDeliveryId('github', { 'x-github-delivery': '72d3162e' }, {})).toBe('72d3162e');
  expect(getDeliveryId('slack', {}, { event_id: 'Ev0PV52K25' })).toBe('Ev0PV52K25');
  expect(getDeliveryId('stripe', { 'stripe-id': 'evt_1' }, { id: 7 })).toBeNull();
  expect(getDeliveryId('stripe', {}, { id: 'x'.repeat(256) })).toBeNull();
  expect(getDeliveryId('slack', {}, null)).toBeNull();
  expect(getDeliveryId('slack', SLACK.headers, { event_id: 'Ev1' })).toBe('Ev1');
});
