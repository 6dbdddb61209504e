import fc from 'fast-check';
import { expect, test } from 'vitest';
import { alternativesTo, SLUG_MAX, SLUG_PATTERN, getSlug } from './slug.ts';

const isSlug = (slug: string) => new RegExp(SLUG_PATTERN, 'u').test(slug) && slug.length <= SLUG_MAX;

test.each([
  ['Acme', 'acme'],
  ['  Café  Zürich & Söhne ', 'cafe-zurich-sohne'],
  ['--x--', 'x'],
  ['日本', 'workspace'],
  ['a'.repeat(80), 'a'.repeat(40)],
  [`${'a'.repeat(39)} b`, 'a'.repeat(39)],
  ['ﬁve ①', 'five-1'],
])('%j becomes %s', (name, slug) => expect(getSlug(name)).toBe(slug));

test('every name becomes a slug, and every slug has other slugs beside it', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', minLength: 1, maxLength: 100 }), (name) => {
      const slug = getSlug(name);
      const others = alternativesTo(slug);
      expect([slug, ...others].filter((made) => !isSlug(made))).toEqual([]);
      expect(others).not.toContain(slug);
    }),
  );
});

test('the alternatives of the longest slug are slugs too', () => {
  expect(alternativesTo('a-'.repeat(23) + 'ab').every(isSlug)).toBe(true);
});
