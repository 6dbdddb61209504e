import { expect, test } from 'vitest';
import { ALL_NOUNS } from '../../src/core/vocabulary/nouns.ts';
import { getNoun } from './nouns.ts';

test('every object with an ID and a page is known to search and links', () => {
  const missing = ALL_NOUNS.filter(
    // All pages are in the workspace.
    ([name, { prefix, page }]) =>
      name !== 'workspace' && page && prefix && getNoun(`${prefix}_1`)?.type !== name,
  );
  expect(missing).toEqual([]);
});
