import { describe, expect, test } from 'vitest';
import { parseRetryAfter } from './retry-after.ts';

const NOW = Date.parse('2026-01-15T12:00:00Z');
const DAY = 86_400_000;

describe('Retry-After', () => {
  test.each([
    ['120', 120_000],
    ['0', 0],
    [' 7 ', 7_000],
    ['999999', DAY],
    ['Thu, 15 Jan 2026 12:01:00 GMT', 60_000],
    ['Thu, 15 Jan 2026 11:00:00 GMT', 0],
    ['Fri, 15 Jan 2027 12:00:00 GMT', DAY],
    ['Thu Jan 15 12:01:00 2026', 60_000],
    ['Sun Feb  1 12:00:00 2026', DAY],
    ['Thursday, 15-Jan-26 12:01:00 GMT', 60_000],
    ['', null],
    ['soon', null],
    ['-5', null],
    ['1.5', null],
    ['1e9', null],
    ['99999999999999', null],
    ['2026', 2_026_000],
  ])('%s', (text, expected) => {
    expect(parseRetryAfter(text, NOW)).toBe(expected);
  });

  test('is none where it is missing', () => {
    expect(parseRetryAfter(undefined, NOW)).toBeNull();
  });
});
