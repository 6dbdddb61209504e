import { expect, test } from 'vitest';
import { holdHashes } from '../../../../test/support/auth/held-hashes.ts';
import { createPasswordHasher } from '../../../core/auth/identity/password-hash.ts';
import { Problem } from '../../../platform/http/problem.ts';
import { createUnlocking } from './unlocking.ts';

test('a guess that could not be checked does not count', async () => {
  let isBusy = true;
  const verify = (): Promise<boolean> =>
    isBusy ? Promise.reject(new Problem('unavailable', 'Too many sign-ins.')) : Promise.resolve(false);
  const unlocking = createUnlocking([Buffer.alloc(32)], { verify });
  const guess = () => unlocking.attempt({ linkId: 'a', passwordHash: 'b' }, 'a password', '203.0.113.1');
  for (let tries = 0; tries < 9; tries++) await expect(guess()).rejects.toThrow('Too many sign-ins.');
  isBusy = false;
  for (let tries = 0; tries < 5; tries++) expect(await guess()).toEqual({ isCorrect: false });
  expect(await guess()).toEqual({ seconds: expect.any(Number) });
});

test('all networks of one site have fifteen guesses at a link in a minute', async () => {
  const unlocking = createUnlocking([Buffer.alloc(32)], { verify: async () => false });
  const guess = (address: string) =>
    unlocking.attempt({ linkId: 'a', passwordHash: 'b' }, 'a password', address);
  const guesses = await Promise.all(
    Array.from({ length: 50 }, (_, n) => guess(`2001:db8:1:${n.toString(16)}::1`)),
  );
  expect(guesses.filter((one) => 'isCorrect' in one)).toHaveLength(15);
  expect(await guess('2001:db8:2::1')).toEqual({ isCorrect: false });
});

test('a stranger with many protected links delays each of five others by two checks at most', async () => {
  const hashes = holdHashes(async ({ tagLength }) => Buffer.alloc(tagLength));
  const hasher = createPasswordHasher({ atOnce: 1, derive: hashes.derive });
  const unlocking = createUnlocking([Buffer.alloc(32)], hasher);
  const passwordHash = await hasher.hash('a password', ['test']);
  hashes.hold();
  const guess = (linkId: string, password: string, address: string) =>
    unlocking.attempt({ linkId, passwordHash }, password, address);
  // 180 links of one stranger, from all networks of one site.
  const flood = Array.from({ length: 180 }, (_, n) => guess(`link ${n}`, 'stranger', `2001:db8:1:${n}::1`));
  const others = Array.from({ length: 5 }, (_, n) => guess(`other ${n}`, `other ${n}`, `203.0.113.${n}`));
  const settled = Promise.allSettled(flood);
  for (let n = 0; n < 200; n++) {
    hashes.next();
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(await Promise.all(others)).toEqual(others.map(() => ({ isCorrect: true })));
  // The running one, and the stranger's turn before theirs.
  const first = hashes.begun.slice(0, 7);
  expect(first.filter((password) => password === 'stranger')).toHaveLength(2);
  expect(first.filter((password) => password !== 'stranger').sort()).toEqual(
    Array.from({ length: 5 }, (_, n) => `other ${n}`),
  );
  const statuses = (await settled).map(({ status }) => status);
  expect(statuses.filter((status) => status === 'rejected').length).toBeGreaterThanOrEqual(180 - 61);
});
