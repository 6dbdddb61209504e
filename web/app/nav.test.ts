import { expect, test } from 'vitest';
import { ALL_SCOPES } from '../../src/core/vocabulary/scopes.ts';
import { NOUNS } from '../api/nouns.ts';
import { navigationFor } from './nav.ts';

test('the navigation leads to the page of every noun', () => {
  const paths = navigationFor(ALL_SCOPES).flatMap(({ items }) => items.map(({ to }): string => to));
  const missing = NOUNS.map(({ prefix, page }) => String(page(`${prefix}_1`, `${prefix}_1`).to))
    // Leads on to a page that only the object knows.
    .filter((to) => to !== '/w/$workspace/open/$id')
    .filter((to) => !paths.includes(to.replace(/\/\$id$/, '')));
  expect(missing).toEqual([]);
});
