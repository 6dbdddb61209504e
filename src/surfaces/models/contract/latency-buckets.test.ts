import { describe, expect, test } from 'vitest';
import { BUCKET_COUNT, estimateQuantile, getLatencyBucket } from './latency-buckets.ts';

const count = (times: readonly number[]): number[] => {
  const counts = Array.from({ length: BUCKET_COUNT }, () => 0);
  for (const time of times) counts[getLatencyBucket(time)]!++;
  return counts;
};

describe('a quantile', () => {
  test.each([11, 37, 150, 420, 999, 5_000, 30_000, 100_000])('of %d ms is at most 23 %% off', (time) => {
    const estimate = estimateQuantile(count([time]), 0.5)!;
    expect(Math.abs(estimate - time) / time).toBeLessThanOrEqual(0.23);
  });

  test.each([0, 1, 9])('of %d ms is at most 5 ms off', (time) => {
    expect(Math.abs(estimateQuantile(count([time]), 0.5)! - time)).toBeLessThanOrEqual(5);
  });

  test('is that of the right rank', () => {
    const times = Array.from({ length: 100 }, (_, n) => (n + 1) * 20);
    for (const share of [0.5, 0.95]) {
      const time = times[share * 100 - 1]!;
      expect(Math.abs(estimateQuantile(count(times), share)! - time) / time).toBeLessThanOrEqual(0.23);
    }
  });

  test('of slower calls is the last bound; of none there is none', () => {
    expect(estimateQuantile(count([10 ** 9]), 0.5)).toBe(112_227);
    expect(estimateQuantile([], 0.5)).toBeNull();
    expect(estimateQuantile(count([]), 0.95)).toBeNull();
  });
});
