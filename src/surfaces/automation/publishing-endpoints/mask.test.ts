import { parseLossless } from '../../../platform/json/lossless-json.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cpuMs } from '../../../../test/support/cpu.ts';
import { generateSecret } from '../../../platform/crypto/api-key-secret.ts';
import { generateSecret as generateWebhookSecret } from '../../../core/webhooks/delivery/webhook-secret.ts';
import { isCardNumber, isSecretName, MASK, maskPairs, maskSecrets, maskText } from './mask.ts';

const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U';

describe('names', () => {
  test.each([
    'password',
    'userPassword',
    'old_passwd',
    'client-secret',
    'access_token',
    'refreshToken',
    'TOKEN',
    'api_key',
    'apiKey',
    'X-Api-Key',
    'aws_secret_access_key',
    'private key',
    'Authorization',
    'auth',
    'credentials',
    'cookie',
    'pin',
    'cvv',
    'cardNumber',
  ])('%s holds a secret', (name) => expect(isSecretName(name)).toBe(true));

  test.each([
    'author',
    'title',
    'shipping',
    'opinion',
    'passenger',
    'authenticated',
    'key',
    'id',
    'compass',
    'span',
    '',
  ])('%s does not', (name) => expect(isSecretName(name)).toBe(false));
});

describe('texts', () => {
  test.each([
    ['Authorization: Bearer abcdef123456', `Authorization: Bearer ${MASK}`],
    ['basic dXNlcjpwYXNzd29yZA==', `basic ${MASK}`],
    [`see ${JWT}, please`, `see ${MASK}, please`],
    [`fl_${'a1B2'.repeat(9)}`, `fl_${MASK}`],
    ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', `whsec_${MASK}`],
    ['sk_live_4eC39HqLyjWDarjtT1zdp7dc', `sk_live_${MASK}`],
    ['ghp_16C7e42F292c6912E7710c838347Ae178B4a', `ghp_${MASK}`],
    ['xoxb-123456789012-abcdefghijkl', `xoxb-${MASK}`],
    ['AKIAIOSFODNN7EXAMPLE', `AKIA${MASK}`],
    ['postgres://admin:hunter2@db.example.com/x', `postgres://admin:${MASK}@db.example.com/x`],
    ['https://a.example/?page=2&access_token=abc#x', `https://a.example/?page=2&access_token=${MASK}#x`],
    ['card 4242 4242 4242 4242, thanks', `card ${MASK} 4242, thanks`],
    ['4000-0566-5566-5556', `${MASK} 5556`],
    ['378282246310005', `${MASK} 0005`],
    ['-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----', MASK],
  ])('%j becomes %j', (text, masked) => expect(maskText(text)).toBe(masked));

  test.each([
    'Hello, world',
    'https://example.com/a?page=2&sort=new',
    '4242 4242 4242 4241',
    '1768469400000',
    'order 2026-01-15 12:30',
    '+49 30 1234567890',
    'The token is in the basement',
    'a basic idea',
    '3.14159265358979323846',
    '0194fdc2-fa2f-7cc0-81d3-ff12045b73c8',
    'git@example.com:team/repository.git',
    'http://[2001:db8::1]:8080/',
  ])('%j stays', (text) => expect(maskText(text)).toBe(text));

  test('that are long take no long time, whatever is in them', () => {
    const parts = [
      'eyJ',
      'eyJ-',
      'eyJaaaaa.',
      '?token',
      '&a=',
      '://a:',
      '4',
      '4 ',
      '4-',
      'Bearer ',
      '-----BEGIN PRIVATE KEY-----',
      'fl_',
      '=',
      'a.',
    ];
    for (const part of parts) {
      const text = part.repeat(Math.ceil(1_000_000 / part.length));
      expect(
        cpuMs(() => maskText(text)),
        part,
      ).toBeLessThan(2_000);
    }
  });
});

describe('payloads', () => {
  test('are masked by names and texts, and keep their form', () => {
    expect(
      maskSecrets({
        title: 'Hello',
        user: { name: 'Alice', password: 'hunter2', password_set: true, token: null },
        tokens: ['a', { inner: 5, more: ['b'] }],
        pin: 1234,
        empty: { secret: '' },
        card: 4242424242424242,
        paid_at: 1768469400000,
        notes: [`Bearer ${'x'.repeat(20)}`, 'fine'],
      }),
    ).toEqual({
      title: 'Hello',
      user: { name: 'Alice', password: MASK, password_set: true, token: null },
      tokens: [MASK, { inner: MASK, more: [MASK] }],
      pin: MASK,
      empty: { secret: '' },
      card: `${MASK} 4242`,
      paid_at: 1768469400000,
      notes: [`Bearer ${MASK}`, 'fine'],
    });
    expect(maskSecrets('plain')).toBe('plain');
    expect(maskSecrets(null)).toBe(null);
  });

  test('may have any names', () => {
    const payload = JSON.parse('{"__proto__": {"password": "a", "title": "b"}, "constructor": "c"}');
    const masked = maskSecrets(payload);
    expect(JSON.stringify(masked)).toBe(`{"__proto__":{"password":"${MASK}","title":"b"},"constructor":"c"}`);
    expect(Object.getPrototypeOf(masked)).toBe(Object.prototype);
  });

  const card = fc
    .tuple(fc.constantFrom('4', '51', '37', '6011', '22'), fc.stringMatching(/^\d{11}$/))
    .map(([head, rest]) => head + rest)
    .map((digits) => {
      for (let last = 0; last < 10; last++) if (isCardNumber(`${digits}${last}`)) return `${digits}${last}`;
      throw new Error('no check digit');
    });
  const secret = fc.oneof(
    fc.constant(null).map(() => generateSecret()),
    fc.constant(null).map(() => generateWebhookSecret()),
    fc.stringMatching(/^eyJ[A-Za-z0-9_-]{20,40}\.[A-Za-z0-9_-]{20,40}\.[A-Za-z0-9_-]{20,40}$/),
    card,
  );
  const around = fc.constantFrom('', ' ', 'x: ', ' and ', '"', '\n', ', ');

  test('never show a secret, wherever in them it stands', () => {
    fc.assert(
      fc.property(
        secret,
        around,
        around,
        fc.array(fc.oneof(fc.constantFrom('a', 'list', 'title'), fc.nat(3)), { maxLength: 6 }),
        fc.jsonValue(),
        (hidden, before, after, path, other) => {
          const payload = path.reduceRight<unknown>(
            (inner, step) => (typeof step === 'number' ? [other, inner] : { [step]: inner, other }),
            `${before}${hidden}${after}`,
          );
          expect(JSON.stringify(maskSecrets(payload))).not.toContain(hidden);
        },
      ),
    );
  });

  test('show nothing of what stands under the name of a secret', () => {
    const name = fc.constantFrom('password', 'apiKey', 'client_secret', 'Authorization', 'tokens');
    const text = fc.stringMatching(/^[g-z]{6,30}$/).map((one) => `§${one}`);
    fc.assert(
      fc.property(name, text, fc.boolean(), (field, hidden, isDeep) => {
        const payload = { [field]: isDeep ? [{ [hidden.slice(1, 3)]: [hidden] }] : hidden };
        expect(JSON.stringify(maskSecrets(payload))).not.toContain('§');
      }),
    );
  });

  test('keep their form, and are masked once and for all', () => {
    const toForm = (value: unknown): unknown =>
      Array.isArray(value)
        ? value.map(toForm)
        : value !== null && typeof value === 'object'
          ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, toForm(one)]))
          : 0;
    fc.assert(
      fc.property(fc.jsonValue(), (given) => {
        const payload: unknown = JSON.parse(JSON.stringify(given));
        const masked = maskSecrets(payload);
        expect(toForm(masked)).toEqual(toForm(payload));
        expect(maskSecrets(masked)).toEqual(masked);
      }),
    );
  });

  test('do not end the program, however deep they are', () => {
    let deep: unknown = 'fl_';
    for (let level = 0; level < 5_000; level++) deep = [deep];
    expect(JSON.stringify(maskSecrets(deep))).toContain(MASK);
  });
});

test('headers and query parameters are masked by their names, too', () => {
  expect(
    maskPairs({
      'x-hub-signature-256': 'sha256=abc',
      'x-auth-key': 'a',
      'user-agent': 'curl/8',
      token: 'b',
      q: JWT,
    }),
  ).toEqual({
    'x-hub-signature-256': MASK,
    'x-auth-key': MASK,
    'user-agent': 'curl/8',
    token: MASK,
    q: MASK,
  });
});

test('exact numbers are kept, and masked as numbers are', () => {
  const payload = parseLossless(
    '{"id":8202522731445525542,"pin":10.00,"deep":[{"token":1e400}],"card":4111111111111111.00}',
  );
  expect(JSON.stringify(maskSecrets(payload))).toBe(
    `{"id":8202522731445525542,"pin":"${MASK}","deep":[{"token":"${MASK}"}],"card":4111111111111111.00}`,
  );
});
