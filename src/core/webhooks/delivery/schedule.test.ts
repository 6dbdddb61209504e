import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nextWait, WAITS } from './schedule.ts';

describe('the schedule', () => {
  test('is at once, then 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h', () => {
    const seconds = Array.from({ length: 9 }, (_, step) => nextWait(step, null, 0.5)! / 1000);
    expect(seconds).toEqual([5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400]);
    expect(nextWait(9, null, 0.5)).toBeNull();
  });

  test('spreads each wait by 20 % either way, and no more', () => {
    fc.assert(
      fc.property(fc.nat(8), fc.double({ min: 0, max: 1, noNaN: true }), (step, random) => {
        const wait = nextWait(step, null, random)!;
        expect(wait).toBeGreaterThanOrEqual(WAITS[step]! * 0.8 - 1);
        expect(wait).toBeLessThanOrEqual(WAITS[step]! * 1.2 + 1);
      }),
    );
    expect(nextWait(0, null, 0)).toBe(4_000);
    expect(nextWait(0, null, 1)).toBe(6_000);
  });

  test('waits longer where the receiver asks for it, never shorter, and ends all the same', () => {
    expect(nextWait(0, 60_000, 0.5)).toBe(60_000);
    expect(nextWait(1, 1_000, 0.5)).toBe(300_000);
    expect(nextWait(9, 60_000, 0.5)).toBeNull();
  });
});
