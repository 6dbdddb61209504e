import { expect, test } from 'vitest';
import { errorRanges, liquidTokens } from './liquid-tokens.ts';

const parts = (text: string, bare = false) =>
  liquidTokens(text, bare).map(({ from, to, kind }) => [kind, text.slice(from, to)]);

test('finds the parts of tags alone', () => {
  expect(parts('Hi {{ payload.title | upcase }} "x"')).toEqual([
    ['tag', '{{ payload.title | upcase }}'],
    ['brace', '{{'],
    ['path', 'payload.title'],
    ['filter', 'upcase'],
    ['brace', '}}'],
  ]);
  expect(parts('{% if a == "b" and true %}').slice(2, -1)).toEqual([
    ['keyword', 'if'],
    ['path', 'a'],
    ['string', '"b"'],
    ['keyword', 'and'],
    ['literal', 'true'],
  ]);
});

test('takes a condition without braces', () => {
  expect(parts('payload.id > 1', true)).toEqual([
    ['path', 'payload.id'],
    ['literal', '1'],
  ]);
});

test('finds the place that an error names', () => {
  const text = 'one\n{{ two | upcas }}';
  const [range] = errorRanges(text, 'Line 2, column 1: undefined filter: upcas');
  expect(text.slice(range?.from, range?.to)).toBe('{{ two | upcas }}');
  expect(errorRanges(text, 'Line 9, column 1: gone')).toEqual([]);
  expect(errorRanges(text, 'is required')).toEqual([]);
});
