import { describe, expect, test } from 'vitest';
import { highestBar, labeledIntervals, niceTicks } from './chart-scale.ts';

describe('ticks of counts', () => {
  test.each([
    [0, [0, 1]],
    [1, [0, 1]],
    [3, [0, 1, 2, 3]],
    [4, [0, 2, 4]],
    [7, [0, 5, 10]],
    [31, [0, 20, 40]],
    [100, [0, 50, 100]],
    [1204, [0, 500, 1000, 1500]],
  ])('up to %d', (max, ticks) => {
    expect(niceTicks(max)).toEqual(ticks);
  });

  test.each([
    [0.0025, [0, 0.001, 0.002, 0.003]],
    [0.7, [0, 0.5, 1]],
    [12, [0, 5, 10, 15]],
  ])('up to %d with fractions', (max, ticks) => {
    expect(niceTicks(max, true).map((tick) => Number(tick.toFixed(6)))).toEqual(ticks);
  });

  test('are two to four whole numbers that reach the highest bar', () => {
    for (let max = 0; max < 5000; max += 7) {
      const ticks = niceTicks(max);
      expect(ticks.length).toBeGreaterThanOrEqual(2);
      expect(ticks.length).toBeLessThanOrEqual(4);
      expect(ticks.at(-1)).toBeGreaterThanOrEqual(max);
      expect(ticks.every(Number.isInteger)).toBe(true);
    }
  });
});

describe('labels of intervals', () => {
  test.each([
    [7, 10, [0, 1, 2, 3, 4, 5, 6]],
    [24, 8, [2, 5, 8, 11, 14, 17, 20, 23]],
    [30, 10, [2, 5, 8, 11, 14, 17, 20, 23, 26, 29]],
    [168, 7, [0, 24, 48, 72, 96, 120, 144]],
    [30, 0, [0]],
    [0, 5, []],
  ])('%d intervals with room for %d', (count, room, labeled) => {
    expect(labeledIntervals(count, room)).toEqual(labeled);
  });

  test('are evenly spaced and never more than fit', () => {
    for (let count = 1; count < 800; count += 13) {
      const labeled = labeledIntervals(count, 6);
      expect(labeled.length).toBeLessThanOrEqual(6);
      expect(new Set(labeled.slice(1).map((at, index) => at - labeled[index]!)).size).toBeLessThanOrEqual(1);
    }
  });
});

test('the highest bar is the sum of its series, or the mark above it', () => {
  expect(
    highestBar([
      [1, 4],
      [2, 0],
    ]),
  ).toBe(4);
  expect(highestBar([[1, 4]], [9, 0])).toBe(9);
  expect(highestBar([])).toBe(0);
});
