import { expect, test } from 'vitest';
import { percentile } from './percentile.ts';

test('is a value that was there: so many of all are not above it, and one less would not do', () => {
  const hundred = Array.from({ length: 100 }, (_, n) => 100 - n);
  expect([0, 0.01, 0.5, 0.99, 1].map((share) => percentile(hundred, share))).toEqual([1, 1, 50, 99, 100]);
  expect([0.5, 0.51].map((share) => percentile([20, 10], share))).toEqual([10, 20]);
  expect(percentile([7], 0.99)).toBe(7);
  expect(percentile([], 0.5)).toBeNaN();
});
