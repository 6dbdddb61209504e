import { expect, test } from 'vitest';
import { finalUrl, type Utm, withForwarded } from './final-url.ts';

const utm = (values: Partial<Utm> = {}): Utm => ({
  source: '',
  medium: '',
  campaign: '',
  term: '',
  content: '',
  ...values,
});

test('UTM parameters replace those of the destination and keep the rest as written', () => {
  expect(finalUrl('https://example.com/?utm_source=old&x=%41#top', utm({ source: 'a b' }))).toBe(
    'https://example.com/?x=%41&utm_source=a%20b#top',
  );
});

test('a percent-encoded name is the same parameter', () => {
  expect(finalUrl('https://example.com/?utm%5Fsource=old', utm({ source: 'new' }))).toBe(
    'https://example.com/?utm_source=new',
  );
});

test('what is no destination has no final URL', () => {
  expect(finalUrl('example.com', utm())).toBeNull();
  expect(finalUrl('javascript:alert(1)', utm())).toBeNull();
});

test('a forwarded parameter never replaces one of the destination', () => {
  expect(withForwarded('https://example.com/?ref=own', ['ref', 'friend'])).toBe(
    'https://example.com/?ref=own',
  );
  expect(withForwarded('https://example.com/#top', ['ref', 'friend'])).toBe(
    'https://example.com/?ref=friend#top',
  );
});
