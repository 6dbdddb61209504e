import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createSecretBox } from './secret-box.ts';

const box = createSecretBox('the root secret, of more than 32 characters');
const CONTEXT = 'ws_1|webhooks|whk_1';

describe('a sealed value', () => {
  test('opens again, whatever it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (plain, context) => {
        expect(box.open(box.seal(plain, context), context)).toBe(plain);
      }),
    );
    const long = 'x'.repeat(1_000_000);
    expect(box.open(box.seal(long, CONTEXT), CONTEXT)).toBe(long);
  });

  test('shows nothing, and is never the same twice', () => {
    const [first, second] = [box.seal('hunter2 hunter2', CONTEXT), box.seal('hunter2 hunter2', CONTEXT)];
    expect(first).not.toBe(second);
    expect(first).toMatch(/^v1\.[0-9a-f]{8}\.[A-Za-z0-9_-]+$/);
    expect(Buffer.from(first.split('.')[2]!, 'base64url').toString('latin1')).not.toContain('hunter2');
  });

  test('does not open in another place', () => {
    const sealed = box.seal('secret', CONTEXT);
    for (const context of ['ws_2|webhooks|whk_1', 'ws_1|webhooks|whk_2', '', `${CONTEXT} `])
      expect(() => box.open(sealed, context)).toThrow(Error);
  });

  test('does not open under another secret, and says so', () => {
    const other = createSecretBox('another root secret, of more than 32 characters');
    expect(() => other.open(box.seal('secret', CONTEXT), CONTEXT)).toThrow(/another key/);
    const disguised = box.seal('secret', CONTEXT).split('.');
    disguised[1] = other.seal('', CONTEXT).split('.')[1]!;
    expect(() => other.open(disguised.join('.'), CONTEXT)).toThrow(Error);
  });

  test('does not open once any bit of it was changed', () => {
    const [version, id, body] = box.seal('secret', CONTEXT).split('.') as [string, string, string];
    const bytes = Buffer.from(body, 'base64url');
    for (let at = 0; at < bytes.length; at++) {
      const changed = Buffer.from(bytes);
      changed[at]! ^= 1;
      expect(() => box.open(`${version}.${id}.${changed.toString('base64url')}`, CONTEXT)).toThrow(Error);
    }
    for (const length of [0, 1, 12, 27, bytes.length - 1])
      expect(() =>
        box.open(`${version}.${id}.${bytes.subarray(0, length).toString('base64url')}`, CONTEXT),
      ).toThrow(Error);
  });

  test.each(['', 'v1', 'v2.00000000.AAAA', 'v1..', 'v1.00000000.AAAA', 'secret'])('%j is none', (text) => {
    expect(() => box.open(text, CONTEXT)).toThrow(Error);
  });
});

test('derived keys depend on the secret and on their purpose, and on nothing else', () => {
  expect(box.derive('cookies')).toEqual(
    createSecretBox('the root secret, of more than 32 characters').derive('cookies'),
  );
  expect(box.derive('cookies')).toHaveLength(32);
  expect(box.derive('cookies')).not.toEqual(box.derive('links'));
  expect(box.derive('cookies')).not.toEqual(createSecretBox('other').derive('cookies'));
});
