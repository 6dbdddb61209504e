import { expect, test } from 'vitest';
import { assertMatches, toEtag, matchesEtag, ownEtag, readIfMatch } from './etag.ts';

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

test('a tag has the version and a digest of the body', () => {
  expect(toEtag(3, '{"clicks":1}')).toMatch(/^"3-[0-9a-f]{20}"$/);
  expect(toEtag(3, '{"clicks":1}')).toBe(toEtag(3, Buffer.from('{"clicks":1}')));
  expect(toEtag(3, '{"clicks":1}')).not.toBe(toEtag(3, '{"clicks":2}'));
  expect([toEtag(3, null), toEtag(undefined, '')]).toEqual([
    '"3"',
    expect.stringMatching(/^"[0-9a-f]{20}"$/),
  ]);
});

test.each([
  [undefined, null],
  ['*', null],
  [' * ', null],
  ['"3"', [3]],
  ['W/"2", "3"', [3]],
  ['"3-gzip"', [3]],
  ['"3-9f2c0a6b1d4e8f7a5c3b"', [3]],
  ['"3-9f2c0a6b1d4e8f7a5c3b-br"', [3]],
  ['"2", "3"', [2, 3]],
  ['"other", "3"', [3]],
])('If-Match: %s accepts the versions %j', (given, versions) => {
  expect(readIfMatch(given)).toEqual(versions);
});

test.each([
  '',
  '3',
  'W/"3"',
  ' W/"3-9f2c0a6b1d4e8f7a5c3b-br"',
  'w/"3"',
  'W/"2", W/"3"',
  '"x"',
  '""',
  '"1" x',
  '"-1"',
  '"1234567890"',
])('If-Match: %s matches nothing', (given) => {
  expect(() => readIfMatch(given)).toThrow(expect.objectContaining({ code: 'precondition_failed' }));
});

test('a version that is not accepted is refused', () => {
  for (const accepted of [null, [3], [2, 3]])
    expect(() => assertMatches(accepted, { version: 3 }, 'rule')).not.toThrow();
  expect(() => assertMatches([2], { version: 3 }, 'rule')).toThrow('The rule has changed since you read it.');
});
