import { expect, test } from 'vitest';
import { countryFlag } from './places.ts';

test('a country has the flag of its code; other values have none', () => {
  expect(countryFlag('DE')).toBe('🇩🇪');
  expect(countryFlag('(other)')).toBe('');
});
