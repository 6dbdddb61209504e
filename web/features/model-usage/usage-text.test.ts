import { expect, test } from 'vitest';
import { formatAttempt, formatCode, listTokenDetails } from './usage-text.ts';

test.each([
  ['lab/fake-large:http_503', 'lab/fake-large: HTTP 503'],
  ['lab/small:8b:ok', 'lab/small:8b: succeeded'],
  ['lab/fake-large:timeout', 'lab/fake-large: timeout'],
])('%s is shown as %s', (attempt, shown) => expect(formatAttempt(attempt)).toBe(shown));

test('a code of HTTP is shown in words', () => {
  expect(formatCode('http_503')).toBe('HTTP 503');
  expect(formatCode('budget_exceeded')).toBe('budget_exceeded');
});

test('only parts of tokens that are not zero are shown', () => {
  const none = {
    cached_tokens: 0,
    cache_write_tokens: 0,
    cache_write_1h_tokens: 0,
    reasoning_tokens: 0,
    audio_tokens: 0,
    image_tokens: 0,
  };
  expect(listTokenDetails(none)).toEqual([]);
  expect(listTokenDetails({ ...none, cached_tokens: 4, reasoning_tokens: 64 })).toEqual([
    ['Cached tokens', 4],
    ['Reasoning tokens', 64],
  ]);
});
