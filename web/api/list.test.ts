/** Tests that pages of a list have the call's own size, or else the size that the reader chose. */
import { expect, test } from 'vitest';
import { get } from './call.ts';
import { getPage } from './list.ts';

test("adds a limit and a cursor, and keeps the call's own limit", () => {
  expect(getPage(get('/tags'), 50, null)).toEqual({ method: 'GET', path: '/tags?limit=50' });
  expect(getPage(get('/tags', { query: { search: 'a', limit: 25 } }), 50, 'next').path).toBe(
    '/tags?search=a&limit=25&cursor=next',
  );
});
