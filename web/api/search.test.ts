import { expect, test } from 'vitest';
import { ID_PREFIXES } from '../../src/core/vocabulary/nouns.ts';
import { getSlug } from './nouns.ts';
import { get } from './call.ts';
import { firstMatches, foundById, getBest } from './search.ts';
import type { Page, Tag } from './types.ts';

const LIST = get('/tags', { query: { search: 'x' } });
const TAG = { id: 'tag_1' } as Tag;
const TAIL = '01m86wgwz6e2fvqnxwpjv19hq5';

test('an ID finds its record', () => {
  for (const kind of ['link', 'publishing_endpoint', 'rule', 'rule_run', 'event', 'model_call'] as const) {
    const id = `${ID_PREFIXES[kind]}_${TAIL}`;
    expect(foundById(id)).toEqual({ id, label: id });
  }
});

test('the pages of a search are bounded over all nouns', async () => {
  let asked = 0;
  const ask = () => {
    asked++;
    return Promise.resolve<Page<Tag>>({ data: [], has_more: true, next_cursor: 'more' });
  };
  const budget = { left: 5 };
  const search = () => firstMatches(ask, LIST, budget, () => false);
  expect(await Promise.all([search(), search(), search()])).toEqual([[], [], []]);
  // The first page of each, and five further ones.
  expect(asked).toBe(8);
});

test('a whole name behind many that begin like it is found', async () => {
  const limits: number[] = [];
  const names = Array.from({ length: 111 }, (_, nth) => `item ${111 - nth}`);
  let given = 0;
  const search = (wanted: string) => {
    [given, limits.length] = [0, 0];
    return firstMatches(
      ({ path }) => {
        const limit = Number(new URLSearchParams(path.split('?')[1]).get('limit'));
        limits.push(limit);
        const data = names.slice(given, (given += limit)).map((name) => ({ ...TAG, name }));
        const hasMore = given < names.length;
        return Promise.resolve({ data, has_more: hasMore, next_cursor: hasMore ? 'more' : null });
      },
      LIST,
      { left: 5 },
      ({ name }) => name === wanted,
    );
  };
  expect((await search('item 1')).map(({ name }) => name)).toContain('item 1');
  expect(limits).toEqual([20, 100]);
  expect(await search('item 100')).toHaveLength(20);
  expect(limits).toEqual([20]);
});

test.each([
  ['spring', 'spring'],
  ['go.example/Frühling_1', 'Frühling_1'],
  ['https://go.example/a', 'a'],
  ['go.example', undefined],
  ['spring sale', undefined],
  ['spring/', undefined],
])('%s names the slug %s', (text, slug) => expect(getSlug(text)).toBe(slug));

test('other texts find nothing by ID', () => {
  for (const text of ['lnk_', 'spring', `user_${TAIL}`, `lnk_${TAIL} `])
    expect(foundById(text)).toBeUndefined();
});

test('whole names come before their beginnings, and these before other matches', () => {
  const found = [
    'go.example/offspring',
    'go.example/spring-sale',
    'go.example/spring',
    'Spring',
    'other',
    'x',
  ];
  const labels = getBest(
    found.map((label) => ({ id: label, label })),
    'spring',
  ).map(({ label }) => label);
  expect(labels).toEqual([
    'go.example/spring',
    'Spring',
    'go.example/spring-sale',
    'go.example/offspring',
    'other',
  ]);
});
