import { describe, expect, test } from 'vitest';
import { createScram, ScramFault } from './scram.ts';

describe('SCRAM', () => {
  // RFC 5802, section 5, and RFC 7677, section 3.
  test.each([
    [
      'SCRAM-SHA-1',
      'fyko+d2lbbFgONRv9qkxdawL',
      'r=fyko+d2lbbFgONRv9qkxdawL3rfcNHYJY1ZVvWVs7j,s=QSXCR+Q6sek8bf92,i=4096',
      'c=biws,r=fyko+d2lbbFgONRv9qkxdawL3rfcNHYJY1ZVvWVs7j,p=v0X8v3Bz2T0CJGbJQyF0X+HI4Ts=',
      'v=rmF9pqV8S7suAoZWja4dJRkFsKQ=',
    ],
    [
      'SCRAM-SHA-256',
      'rOprNGfwEbeRWgbNEkqO',
      'r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096',
      'c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=',
      'v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=',
    ],
  ] as const)(
    '%s matches the example in its standard',
    async (mechanism, nonce, challenge, answer, final) => {
      const scram = createScram(mechanism, 'user', 'pencil', nonce);
      expect(scram.first).toBe(`n,,n=user,r=${nonce}`);
      expect(await scram.answer(challenge)).toBe(answer);
      scram.verify(final);
      expect(() => scram.verify('v=AAAA')).toThrow(ScramFault);
      expect(() => scram.verify('e=other-error')).toThrow(ScramFault);
    },
  );

  test('special characters in a name are escaped', () => {
    expect(createScram('SCRAM-SHA-1', 'a=b,c', 'x', 'n').first).toBe('n,,n=a=3Db=2Cc,r=n');
  });

  test.each([
    ['another nonce', 'r=other,s=QSXCR+Q6sek8bf92,i=4096'],
    ['our nonce alone', 'r=n,s=QSXCR+Q6sek8bf92,i=4096'],
    ['no salt', 'r=nx,i=4096'],
    ['extensions', 'm=a,r=nx,s=QSXCR+Q6sek8bf92,i=4096'],
    ['too many rounds', 'r=nx,s=QSXCR+Q6sek8bf92,i=1000001'],
    ['too few rounds', 'r=nx,s=QSXCR+Q6sek8bf92,i=4095'],
    ['excessive length', `r=nx,s=${'A'.repeat(2000)},i=4096`],
  ])('a challenge with %s is rejected', async (_, challenge) => {
    await expect(createScram('SCRAM-SHA-1', 'a', 'b', 'n').answer(challenge)).rejects.toThrow(ScramFault);
  });

  test('a proof without a challenge is rejected', () => {
    expect(() => createScram('SCRAM-SHA-1', 'a', 'b').verify('v=')).toThrow(ScramFault);
  });
});
