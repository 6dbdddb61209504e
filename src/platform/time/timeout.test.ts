import { expect, test } from 'vitest';
import { settleWithin, withTimeout } from './timeout.ts';

const never = new Promise<string>(() => undefined);

test('settles as the work does', async () => {
  expect(await settleWithin(Promise.resolve(1), 10_000)).toBe(1);
  expect(await withTimeout(Promise.resolve(undefined), 10_000)).toBeUndefined();
  await expect(withTimeout(Promise.reject(new Error('broken')), 10_000)).rejects.toThrow('broken');
});

test('late work resolves with undefined, or rejects with the message', async () => {
  expect(await settleWithin(never, 1)).toBeUndefined();
  await expect(withTimeout(never, 1)).rejects.toThrow('no result within 1 ms');
  await expect(withTimeout(never, 1, 'the database did not answer')).rejects.toThrow(
    'the database did not answer',
  );
});

test('a failure after the time-out is no unhandled rejection', async () => {
  const work = Promise.withResolvers<string>();
  expect(await settleWithin(work.promise, 1)).toBeUndefined();
  work.reject(new Error('too late'));
  await new Promise((resolve) => setImmediate(resolve));
});
