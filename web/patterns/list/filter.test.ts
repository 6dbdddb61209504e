import { expect, test } from 'vitest';
import { clearAll, type Filter, isSet, spanStart } from './filter.ts';

const STATUS: Filter = { kind: 'choice', key: 'state', label: 'Status', options: [] };
const PROTECTED: Filter = { kind: 'flag', key: 'protected', label: 'Password' };

test('a filter is set by its parameter', () => {
  expect(isSet(STATUS, { state: 'active' })).toBe(true);
  expect(isSet(STATUS, { q: 'active' })).toBe(false);
  expect(isSet(PROTECTED, { protected: false })).toBe(false);
});

test('clearing removes the search and every filter, and nothing else', () => {
  expect(
    JSON.parse(
      JSON.stringify({
        q: 'a',
        state: 'active',
        protected: true,
        sort: 'clicks',
        ...clearAll([STATUS, PROTECTED]),
      }),
    ),
  ).toEqual({
    sort: 'clicks',
  });
});

test('a span starts whole days or hours before the minute', () => {
  expect(spanStart('7', Date.UTC(2026, 4, 8, 12, 30, 45))).toBe('2026-05-01T12:30:00.000Z');
  expect(spanStart('1h', Date.UTC(2026, 4, 8, 12, 30, 45))).toBe('2026-05-08T11:30:00.000Z');
});
