import { expect, test } from 'vitest';
import { formatAttempt, formatCode } from './usage-text.ts';

test.each([
  ['lab/fake-large:http_503', 'lab/fake-large: HTTP 503'],
  ['lab/small:8b:ok', 'lab/small:8b: succeeded'],
  ['lab/fake-large:timeout', 'lab/fake-large: timeout'],
])('%s is shown as %s', (attempt, shown) => expect(formatAttempt(attempt)).toBe(shown));

test('a code of HTTP is shown in words', () => {
  expect(formatCode('http_503')).toBe('HTTP 503');
  expect(formatCode('budget_exceeded')).toBe('budget_exceeded');
});
