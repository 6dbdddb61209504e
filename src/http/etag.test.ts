import { expect, test } from 'vitest';
import { matchesEtag, ownEtag } from './etag.ts';

test.each([
  ['"3"', '"3"'],
  [' "3" ', '"3"'],
  ['W/"3"', '"3"'],
  ['"3-gzip"', '"3"'],
  ['W/"3-zstd"', '"3"'],
  ['"a-b"', '"a-b"'],
  ['*', '*'],
  ['3', '3'],
  ['"3"-gzip', '"3"-gzip'],
])('the tag %s stands for %s', (given, own) => {
  expect(ownEtag(given)).toBe(own);
});

test.each([
  ['"3"', true],
  ['W/"3"', true],
  ['"1", "3-br"', true],
  ['*', true],
  ['"31"', false],
  ['"-gzip"', false],
  [undefined, false],
])('If-None-Match: %s of "3": %s', (given, matches) => {
  expect(matchesEtag(given, '"3"')).toBe(matches);
});
