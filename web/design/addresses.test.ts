import { expect, test } from 'vitest';
import { shownAddress, withScheme } from './addresses.ts';

test('an address is shown without its scheme, in its own letters', () => {
  expect(shownAddress('https://go.example.com/%C3%A4pfel')).toBe('go.example.com/äpfel');
  expect(shownAddress('http://go.example.com/100%')).toBe('go.example.com/100%');
});

test('a host without a scheme gets https', () => {
  expect(withScheme(' example.com/a?b=1 ')).toBe('https://example.com/a?b=1');
  expect(withScheme('bücher.example:8080')).toBe('https://bücher.example:8080');
});

test('other texts stay as they are', () => {
  for (const text of [
    'https://example.com',
    'mailto:a@example.com',
    'localhost',
    'javascript:alert(1)',
    '',
  ]) {
    expect(withScheme(text)).toBe(text);
  }
});
