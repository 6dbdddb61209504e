import { describe, expect, test } from 'vitest';
import { createPasswordHasher } from './password-hash.ts';

/** From the tests of the reference implementation, phc-winner-argon2 (src/test.c). */
const REFERENCE = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc';
const PATH = ['test'];
const hasher = createPasswordHasher();

describe('argon2id', () => {
  test('a hash is a PHC string with OWASP parameters and a salt of its own', async () => {
    const [first, second] = await Promise.all([hasher.hash('p', PATH), hasher.hash('p', PATH)]);
    expect(first).toMatch(/^\$argon2id\$v=19\$m=47104,t=1,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    expect(first).not.toBe(second);
    expect(first).not.toContain('=$');
  });

  test('verifies what it hashed, nothing else', async () => {
    const stored = await hasher.hash('correct horse', PATH);
    expect(await hasher.verify(stored, 'correct horse', PATH)).toBe(true);
    expect(await hasher.verify(stored, 'correct horse ', PATH)).toBe(false);
    expect(
      await hasher.verify(
        stored.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')),
        'x',
        PATH,
      ),
    ).toBe(false);
  });

  test('agrees with the reference implementation', async () => {
    expect(await hasher.verify(REFERENCE, 'password', PATH)).toBe(true);
    expect(await hasher.verify(REFERENCE, 'passwort', PATH)).toBe(false);
  });

  test('the same password in another Unicode form is the same', async () => {
    const stored = await hasher.hash('caf\u00e9 ﬁne', PATH);
    expect(await hasher.verify(stored, 'cafe\u0301 fine', PATH)).toBe(true);
  });

  test.each([
    [
      'another algorithm',
      '$argon2i$v=19$m=19456,t=2,p=1$c29tZXNhbHQwMDAwMDAwMA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
    ],
    [
      'too much memory',
      '$argon2id$v=19$m=4194304,t=2,p=1$c29tZXNhbHQwMDAwMDAwMA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
    ],
    [
      'too many passes',
      '$argon2id$v=19$m=19456,t=900,p=1$c29tZXNhbHQwMDAwMDAwMA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
    ],
    ['nothing', ''],
  ])('%s never verifies', async (_name, stored) => {
    expect(await hasher.verify(stored, 'password', PATH)).toBe(false);
  });

  test('only so many run, so many wait, and the rest is told to come back', async () => {
    const small = createPasswordHasher({ atOnce: 1, waiting: 2 });
    const results = await Promise.allSettled(Array.from({ length: 6 }, () => small.hash('p', PATH)));
    const refused = results.filter((result) => result.status === 'rejected');
    expect(refused).toHaveLength(3);
    for (const { reason } of refused)
      expect(reason).toMatchObject({ code: 'unavailable', headers: { 'retry-after': '2' } });
    expect(await small.verify(await small.hash('p', PATH), 'p', PATH)).toBe(true);
  });
});
