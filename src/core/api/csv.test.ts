import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { csvLines, guardCell, readCell } from './csv.ts';

const SIGNS = [
  '=',
  '+',
  '-',
  '@',
  '\uff1d',
  '\uff0b',
  '\uff0d',
  '\uff20',
  '\ufe66',
  '\ufe62',
  '\ufe63',
  '\ufe6b',
];
/** Characters that a program may skip before a sign. */
const BEFORE = [
  '',
  ' ',
  '\t',
  '\r',
  '\n',
  '\u00a0',
  '\u3000',
  '\ufeff',
  '\u200b',
  '\u202e',
  '\u0000',
  ' \t\u3000 ',
];
const FORMULAS = SIGNS.flatMap((sign) => BEFORE.map((before) => `${before}${sign}1+1`));

describe('a cell', () => {
  test.each(FORMULAS)('%j is quoted as a formula', (text) => {
    expect(guardCell(text)).toBe(`'${text}`);
    expect(readCell(`'${text}`)).toBe(text);
  });

  test.each(["'=x", "''\uff1dx", "' =x", '\t', '\tx', '\rx', '\nx'])('%j is quoted, too', (text) => {
    expect(guardCell(text)).toBe(`'${text}`);
    expect(readCell(guardCell(text))).toBe(text);
  });

  test.each(['', ' ', "'", "'x", 'plain', ' plain', 'a=b', '1-1', '例＝', '(=1)', '\u3000例'])(
    '%j stays as it is',
    (text) => {
      expect(guardCell(text)).toBe(text);
      expect(readCell(text)).toBe(text);
    },
  );

  test('is read as it was written, whatever it is', () => {
    const piece = fc.constantFrom(...SIGNS, ...BEFORE, "'", 'x', '例');
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'grapheme' }),
          fc.array(piece).map((pieces) => pieces.join('')),
        ),
        (text) => {
          const written = guardCell(text);
          expect(readCell(written)).toBe(text);
          expect(written.replace(/[^\S\t\r\n]|\p{C}/gu, '')).not.toMatch(/^[=+\-@＝＋－＠﹦﹢﹣﹫]/);
        },
      ),
      { seed: 15, numRuns: 2_000 },
    );
  });
});

test('a line quotes every text cell, and leaves numbers and empty cells', () => {
  expect(csvLines([['\uff1dcmd', ' =1', -1, null, true, 'a,b']])).toBe(
    '\'\uff1dcmd,\' =1,-1,,true,"a,b"\r\n',
  );
});
