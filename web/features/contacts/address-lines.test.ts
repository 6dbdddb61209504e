import { expect, test } from 'vitest';
import { addressesOf, checkedOf } from './address-lines.ts';

test('reads pasted addresses', () => {
  expect(addressesOf(' alice \n\nbob, carol;alice\r\n')).toEqual(['alice', 'bob', 'carol']);
  expect(addressesOf(' \n')).toEqual([]);
});

test('reads the result of a check', () => {
  const one = { address: 'Alice', normalised: 'alice', exists: true };
  expect(checkedOf({ results: [one] })).toEqual([one]);
  expect(checkedOf({ results: null })).toBeNull();
  expect(checkedOf(null)).toBeNull();
});
