import { expect, test } from 'vitest';
import { markedParts, getSnippet } from './snippet.ts';

test('a snippet begins shortly before the first match', () => {
  expect(getSnippet('Your order is ready', 'order')).toBe('Your order is ready');
  expect(getSnippet('Good morning and thank you for waiting.\nYour   order is ready', 'Order')).toBe(
    '…you for waiting. Your order is ready',
  );
  expect(getSnippet(`${'a'.repeat(60)}order`, 'order')).toBe('…order');
  expect(getSnippet('A file name matched instead', 'invoice')).toBe('A file name matched instead');
});

test('marks every word of the query, without regard to case and accents', () => {
  expect(markedParts('The Café order: ORDER 12', 'cafe order')).toEqual([
    { text: 'The ', isMatch: false },
    { text: 'Café', isMatch: true },
    { text: ' ', isMatch: false },
    { text: 'order', isMatch: true },
    { text: ': ', isMatch: false },
    { text: 'ORDER', isMatch: true },
    { text: ' 12', isMatch: false },
  ]);
  expect(markedParts('Plain', '')).toEqual([{ text: 'Plain', isMatch: false }]);
  expect(markedParts('', 'x')).toEqual([]);
});
