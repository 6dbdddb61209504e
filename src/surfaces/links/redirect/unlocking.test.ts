import { expect, test } from 'vitest';
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
