import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { splitText } from './split-text.ts';

describe('a text that is too long', () => {
  test.each([
    ['stays whole where it fits', 'one two', 7, ['one two']],
    [
      'is cut between paragraphs',
      'First one.\n\nSecond one.\n\nThird.',
      24,
      ['First one.\n\nSecond one.', 'Third.'],
    ],
    ['is cut between lines', 'line one\nline two\nline three', 20, ['line one\nline two', 'line three']],
    ['is cut between sentences', 'It is so. Is it? It is not.', 18, ['It is so. Is it?', 'It is not.']],
    ['is cut between words', 'some words and more', 12, ['some words', 'and more']],
    ['is cut where there is no blank', 'abcdefgh', 3, ['abc', 'def', 'gh']],
    ['is cut between characters beyond 16 bits', '😀😀😀', 2, ['😀😀', '😀']],
    ['is cut behind its limit where a blank is', 'abc def', 3, ['abc', 'def']],
    [
      'gets no tiny part for a paragraph',
      'Hi\n\nsome longer words here',
      16,
      ['Hi\n\nsome longer', 'words here'],
    ],
    ['gets no part of blanks', 'abc      ', 3, ['abc']],
    ['gets no first part of blanks', '      abcd', 3, ['abc', 'd']],
  ])('%s', (_, text, max, parts) => expect(splitText(text, max, 20)).toEqual(parts));

  test('is cut no more often than it may be', () => {
    const parts = splitText('x'.repeat(65_536), 1, 20);
    expect(parts.map(({ length }) => length)).toEqual([...Array<number>(20).fill(1), 65_516]);
  });

  test('loses nothing but blanks, and no part is too long or empty', () => {
    const piece = fc.constantFrom('word', ' ', '\n\n', '\n', '. ', '😀', 'é', '   ', 'longerword');
    fc.assert(
      fc.property(
        fc.array(piece, { minLength: 1, maxLength: 60 }),
        fc.integer({ min: 1, max: 30 }),
        (pieces, max) => {
          const text = `${pieces.join('')}x`;
          const parts = splitText(text, max, Infinity);
          for (const part of parts) {
            expect(Array.from(part).length).toBeLessThanOrEqual(max);
            expect(part.trim()).not.toBe('');
          }
          expect(parts.join('').replaceAll(/\s/g, '')).toBe(text.replaceAll(/\s/g, ''));
        },
      ),
    );
  });
});
