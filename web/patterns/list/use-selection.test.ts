import { expect, test } from 'vitest';
import { idsBetween } from './use-selection.ts';

const IDS = ['a', 'b', 'c', 'd'];

test('a range holds both ends, in either direction', () => {
  expect(idsBetween(IDS, 'b', 'd')).toEqual(['b', 'c', 'd']);
  expect(idsBetween(IDS, 'd', 'b')).toEqual(['b', 'c', 'd']);
  expect(idsBetween(IDS, 'c', 'c')).toEqual(['c']);
});

test('a range from a row that is no longer listed is the row alone', () => {
  expect(idsBetween(IDS, 'gone', 'c')).toEqual(['c']);
});
