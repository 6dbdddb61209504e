import { expect, test } from 'vitest';
import { isSameMetadata, getMetadata, newPair, toPairs } from './metadata.ts';

test('metadata survives the form, without unnamed pairs', () => {
  const metadata = { team: 'growth', plan: '' };
  expect(getMetadata(toPairs(metadata))).toEqual(metadata);
  expect(getMetadata([newPair(' team ', 'growth'), newPair('', 'lost')])).toEqual({ team: 'growth' });
  expect(toPairs(undefined)).toEqual([]);
});

test('compares metadata in any order', () => {
  expect(isSameMetadata({ a: '1', b: '2' }, { b: '2', a: '1' })).toBe(true);
  expect(isSameMetadata({ a: '1' }, { a: '1', b: '2' })).toBe(false);
  expect(isSameMetadata({ a: '1' }, { b: '1' })).toBe(false);
});
