import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { generateSecret, hashSecret, isWellFormedSecret, maskSecret } from './api-key-secret.ts';

const ALPHABET = Array.from('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz');

/** Computes the checksum as documented for scanners. */
function getChecksum(body: string): string {
  let rest = BigInt(crc32(body));
  let text = '';
  while (text.length < 6) {
    text = ALPHABET[Number(rest % 62n)]! + text;
    rest /= 62n;
  }
  return text;
}

describe('a secret', () => {
  test('is fl_, 30 random characters, and the checksum of both', () => {
    for (let count = 0; count < 200; count++) {
      const secret = generateSecret();
      expect(secret).toMatch(/^fl_[0-9A-Za-z]{36}$/);
      expect(secret.slice(-6)).toBe(getChecksum(secret.slice(0, -6)));
      expect(isWellFormedSecret(secret)).toBe(true);
    }
  });

  test('is never the same, and takes each character about as often', () => {
    const secrets = Array.from({ length: 4_000 }, generateSecret);
    expect(new Set(secrets).size).toBe(secrets.length);
    const counts = new Map<string, number>();
    for (const secret of secrets)
      for (const character of secret.slice(3, 33)) counts.set(character, (counts.get(character) ?? 0) + 1);
    expect(counts.size).toBe(62);
    const mean = (secrets.length * 30) / 62;
    // Six standard deviations: one run in 10 million fails by chance; a modulo bias would be off by a quarter.
    for (const count of counts.values()) expect(Math.abs(count - mean)).toBeLessThan(6 * Math.sqrt(mean));
  });

  test('with any one character changed is refused without a look', () => {
    const secret = generateSecret();
    for (let at = 0; at < secret.length; at++)
      for (const character of [...ALPHABET, '_', '-', ' ']) {
        if (character === secret[at]) continue;
        expect(isWellFormedSecret(secret.slice(0, at) + character + secret.slice(at + 1))).toBe(false);
      }
  });

  test('with two neighbors swapped is refused without a look', () => {
    const secret = generateSecret();
    for (let at = 3; at < secret.length - 1; at++) {
      if (secret[at] === secret[at + 1]) continue;
      const swapped = secret.slice(0, at) + secret[at + 1] + secret[at] + secret.slice(at + 2);
      expect(isWellFormedSecret(swapped)).toBe(false);
    }
  });

  test.each([
    ['cut short', (secret: string) => secret.slice(0, -1)],
    ['with more behind', (secret: string) => `${secret}0`],
    ['with a line end', (secret: string) => `${secret}\n`],
    ['with space before', (secret: string) => ` ${secret}`],
    ['of another prefix', (secret: string) => `sk_${secret.slice(3)}`],
    ['in capitals', (secret: string) => secret.toUpperCase()],
    ['none', () => ''],
  ])('%s is none', (_name, change) => {
    expect(isWellFormedSecret(change(generateSecret()))).toBe(false);
  });

  test('random text is none', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 60 }), (text) => {
        expect(isWellFormedSecret(text)).toBe(false);
      }),
    );
    const looksLike = fc.string({ unit: fc.constantFrom(...ALPHABET), minLength: 36, maxLength: 36 });
    fc.assert(
      fc.property(looksLike, (text) => {
        const right = getChecksum(`fl_${text.slice(0, 30)}`) === text.slice(30);
        expect(isWellFormedSecret(`fl_${text}`)).toBe(right);
      }),
    );
  });

  test('is stored as its SHA-256, and shown by its ends only', () => {
    const secret = generateSecret();
    expect(hashSecret(secret)).toBe(createHash('sha256').update(secret).digest('hex'));
    const { prefix, last4 } = maskSecret(secret);
    expect([prefix, last4]).toEqual([secret.slice(0, 7), secret.slice(-4)]);
    expect(prefix.length + last4.length).toBeLessThan(12);
  });
});
