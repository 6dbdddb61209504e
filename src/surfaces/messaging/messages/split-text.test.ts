import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { splitText, type Unbroken } from './split-text.ts';

const split = (text: string, max: number, maxParts: number, unbroken: readonly Unbroken[] = []): string[] =>
  splitText(text, max, maxParts, unbroken).map(({ start, end }) => text.slice(start, end));

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
  ])('%s', (_, text, max, parts) => expect(split(text, max, 20)).toEqual(parts));

  test('is cut no more often than it may be', () => {
    const parts = split('x'.repeat(65_536), 1, 20);
    expect(parts.map(({ length }) => length)).toEqual([...Array<number>(20).fill(1), 65_516]);
  });

  const FAMILY = '👨\u200d👩\u200d👧\u200d👦';
  test.each([
    [
      'a joined emoji but one longer than a part',
      `abc${FAMILY}`,
      5,
      ['abc', '👨\u200d👩\u200d👧', '\u200d👦'],
    ],
    ['a joined emoji that fits', `abc${FAMILY}d`, 8, ['abc', `${FAMILY}d`]],
    ['a flag', '🇩🇪🇫🇷🇮🇹', 3, ['🇩🇪', '🇫🇷', '🇮🇹']],
    ['a flag behind many', '🇩🇪'.repeat(300), 401, ['🇩🇪'.repeat(200), '🇩🇪'.repeat(100)]],
    [
      'a flag behind a letter and many',
      `x${'🇩🇪'.repeat(300)}`,
      400,
      [`x${'🇩🇪'.repeat(199)}`, '🇩🇪'.repeat(101)],
    ],
    ['a letter and its mark', 'abce\u0301f', 4, ['abc', 'e\u0301f']],
    ['a skin tone', 'ab👍🏽', 3, ['ab', '👍🏽']],
    ['only what is longer than a part', `e${'\u0301'.repeat(5)}`, 3, ['e\u0301\u0301', '\u0301\u0301\u0301']],
    ['nothing behind a long text', `${'a'.repeat(999)}👍🏽`, 1_000, ['a'.repeat(999), '👍🏽']],
    ['nothing behind many emoji', `${'😀'.repeat(999)}👍🏽`, 1_000, ['😀'.repeat(999), '👍🏽']],
    [
      'nothing behind many emoji and a letter',
      `a${'😀'.repeat(998)}👍🏽`,
      1_000,
      [`a${'😀'.repeat(998)}`, '👍🏽'],
    ],
  ])('does not cut %s', (_, text, max, parts) => expect(split(text, max, 20)).toEqual(parts));

  test('reads only a window of a text without breaks', () => {
    const segmented = vi.spyOn(Intl.Segmenter.prototype, 'segment');
    try {
      split('e\u0301'.repeat(500_000), 50_001, 20);
      expect(segmented.mock.calls.length).toBe(19);
      for (const [part] of segmented.mock.calls) expect(part.length).toBeLessThan(300);
    } finally {
      segmented.mockRestore();
    }
  });

  describe('with something unbroken', () => {
    /** Finds placeholders in a text, with their own length unless a size is given. */
    const find = (text: string, size?: number): Unbroken[] =>
      [...text.matchAll(/u+/g)].map(({ index, 0: { length } }) => ({
        at: index,
        length,
        size: size ?? length,
      }));
    test.each([
      ['is cut in front of it', 'abuuuuuc', 6, undefined, ['ab', 'uuuuuc']],
      ['is cut in it where it is longer than a part', 'abuuuuuc', 4, undefined, ['abuu', 'uuuc']],
      ['counts it as long as it is sent', 'abuuuuuuuucd', 5, 2, ['abuuuuuuuuc', 'd']],
      ['counts each', 'uuuuxuuuuxuuuu', 4, 2, ['uuuux', 'uuuux', 'uuuu']],
    ] as const)('%s', (_, text, max, size, parts) =>
      expect(split(text, max, 20, find(text, size))).toEqual(parts),
    );
  });

  test('loses nothing but blanks, and no part is too long or empty', () => {
    const piece = fc.constantFrom('word', ' ', '\n\n', '\n', '. ', '😀', 'é', '   ', 'longerword');
    fc.assert(
      fc.property(
        fc.array(piece, { minLength: 1, maxLength: 60 }),
        fc.integer({ min: 1, max: 30 }),
        (pieces, max) => {
          const text = `${pieces.join('')}x`;
          const parts = split(text, max, Infinity);
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
