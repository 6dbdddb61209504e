import { expect, test } from 'vitest';
import { getAddresses, getChecked } from './address-lines.ts';

test('reads pasted addresses', () => {
  expect(getAddresses(' alice \n\nbob, carol;alice\r\n')).toEqual(['alice', 'bob', 'carol']);
  expect(getAddresses(' \n')).toEqual([]);
});

test('reads the result of a check', () => {
  const one = { address: 'Alice', normalised: 'alice', exists: true };
  expect(getChecked({ results: [one] })).toEqual([one]);
  expect(getChecked({ results: null })).toBeNull();
  expect(getChecked(null)).toBeNull();
});
