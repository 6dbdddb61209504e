import { expect, test } from 'vitest';
import { backoff, scheduledDelay } from './retry.ts';

test('doubles from the first delay to the maximum', () => {
  const delays = [1, 2, 3, 4, 5, 1_000].map((failures) => backoff(failures, { firstMs: 100, maxMs: 1_000 }));
  expect(delays).toEqual([100, 200, 400, 800, 1_000, 1_000]);
});

test('varies the part that is jitter', () => {
  const policy = { firstMs: 1_000, maxMs: 60_000, jitter: 0.5 };
  expect([0, 0.5, 1].map((random) => backoff(1, policy, random))).toEqual([500, 750, 1_000]);
  expect(backoff(1, { ...policy, jitter: 1 }, 0)).toBe(0);
});

test('follows a schedule to its end', () => {
  const delays = [1, 2, 3].map((failures) => scheduledDelay(failures, [1_000, 60_000], 0.2, 0.5));
  expect(delays).toEqual([1_000, 60_000, null]);
  expect([0, 1].map((random) => scheduledDelay(1, [1_000], 0.2, random))).toEqual([800, 1_200]);
});
