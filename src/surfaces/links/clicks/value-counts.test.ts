import { expect, test } from 'vitest';
import type { LoadedClick } from './load-row.ts';
import { DIMENSIONS, OTHER, type ValueCounts } from './scopes.ts';
import { addPeople } from './value-counts.ts';

/** The visitors of which all test data is composed. */
const people = (from: number, to: number, length: number): LoadedClick[] =>
  Array.from({ length: to - from }, (_, n) => {
    const value = String(from + n).padEnd(length, '漢');
    return Object.fromEntries(DIMENSIONS.map((name) => [name, value])) as unknown as LoadedClick;
  });

test('values that visitors make up as long as they can take no more room in a row than many short ones', () => {
  const dimensions: ValueCounts[] = [];
  for (let from = 0; from < 2_000; from += 50) addPeople(dimensions, from, people(from, from + 50, 100));
  addPeople(dimensions, 2_000, people(0, 5, 100));
  expect(dimensions).toHaveLength(DIMENSIONS.length);
  for (const counts of dimensions as Record<string, number>[]) {
    expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBe(2_005);
    expect(Object.keys(counts).join('').length).toBeLessThan(16_100);
    expect(Object.keys(counts).length).toBeGreaterThan(70);
    expect(Object.values(counts)).toContain(2);
    expect(counts[OTHER]).toBeGreaterThan(1_800);
  }
});

test('a thousand values of a usual length have each a place', () => {
  const dimensions: ValueCounts[] = [];
  for (let from = 0; from < 1_100; from += 100) addPeople(dimensions, from, people(from, from + 100, 12));
  const [counts] = dimensions as Record<string, number>[];
  expect([Object.keys(counts!).length, counts![OTHER]]).toEqual([1_001, 100]);
});
