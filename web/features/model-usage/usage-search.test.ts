import { expect, test } from 'vitest';
import { getQuery } from './usage-search.ts';

test('a range ends with today, and has as many days as it says', () => {
  expect(getQuery({ range: '7d' }, '2026-03-03')).toEqual({
    from: '2026-02-25T00:00:00.000Z',
    to: '2026-03-04T00:00:00.000Z',
  });
});

test('a custom range includes both of its dates', () => {
  expect(getQuery({ range: 'custom', from: '2026-01-01', to: '2026-01-01' }, '2026-03-03')).toEqual({
    from: '2026-01-01T00:00:00.000Z',
    to: '2026-01-02T00:00:00.000Z',
  });
});

test('calls of a key and calls of a person are told apart by the ID', () => {
  expect(getQuery({ key: 'key_1', model: 'a/b' }, '2026-03-03')).toMatchObject({
    api_key_id: 'key_1',
    model: 'a/b',
  });
  expect(getQuery({ key: 'usr_1' }, '2026-03-03')).toMatchObject({ user_id: 'usr_1' });
});
