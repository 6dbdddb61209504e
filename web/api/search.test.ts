import { expect, test } from 'vitest';
import { ID_PREFIXES } from '../../src/platform/http/ids.ts';
import { firstMatches, foundById } from './search.ts';

const TAIL = '01m86wgwz6e2fvqnxwpjv19hq5';

test('an ID finds its record', () => {
  expect(foundById(`${ID_PREFIXES.link}_${TAIL}`)).toMatchObject({ noun: 'link', id: `lnk_${TAIL}` });
  expect(foundById(`${ID_PREFIXES.publishing_endpoint}_${TAIL}`)?.noun).toBe('endpoint');
  expect(foundById(`${ID_PREFIXES.rule}_${TAIL}`)?.noun).toBe('rule');
  for (const kind of ['event', 'chat', 'message', 'media', 'publication', 'inspector', 'invitation'] as const)
    expect(foundById(`${ID_PREFIXES[kind]}_${TAIL}`)?.noun).toBe(kind);
  expect(foundById(`${ID_PREFIXES.rule_run}_${TAIL}`)?.noun).toBe('run');
});

test('the pages of a search are bounded over all nouns', async () => {
  let asked = 0;
  const list = () => {
    asked++;
    return Promise.resolve({ data: [], has_more: true, next_cursor: 'more' });
  };
  const budget = { left: 5 };
  const search = () => firstMatches(list, 'ada', budget, new AbortController().signal);
  expect(await Promise.all([search(), search(), search()])).toEqual([[], [], []]);
  // The first page of each, and five further ones.
  expect(asked).toBe(8);
});

test('other texts find nothing by ID', () => {
  for (const text of ['lnk_', 'spring', `user_${TAIL}`, `lnk_${TAIL} `])
    expect(foundById(text)).toBeUndefined();
});
