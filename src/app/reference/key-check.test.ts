import fc from 'fast-check';
import { expect, test } from 'vitest';
import { faultOfKey } from '../../../web/reference/api-key.ts';
import { generateSecret, isWellFormedSecret } from '../../platform/crypto/api-key-secret.ts';

test('the browser takes the keys that the server makes', () => {
  for (let i = 0; i < 100; i++) expect(faultOfKey(generateSecret())).toBeNull();
});

test('the browser and the server agree on what is no key', () => {
  const alphabet = 'fl_0129AZaz '.split('');
  const near = fc.tuple(fc.nat(40), fc.constantFrom(...alphabet)).map(([at, character]) => {
    const key = generateSecret();
    return key.slice(0, at) + character + key.slice(at + 1);
  });
  fc.assert(
    fc.property(fc.oneof(near, fc.string({ maxLength: 45 })), (text) => {
      expect(faultOfKey(text) === null).toBe(isWellFormedSecret(text));
    }),
  );
});
