import { expect, test } from 'vitest';
import { insertionText, isWithinTag, liquidPath } from './insertion.ts';

test('writes paths as Liquid reads them', () => {
  expect(liquidPath(['payload', 'items', 0, 'name'])).toBe('payload.items[0].name');
  expect(liquidPath(['headers', 'x-event'])).toBe('headers.x-event');
  expect(liquidPath(['payload', 'two words'])).toBe('payload["two words"]');
});

test('knows whether the cursor is inside braces', () => {
  expect(isWithinTag('a {{ b }} c', 5)).toBe(true);
  expect(isWithinTag('a {{ b }} c', 10)).toBe(false);
  expect(isWithinTag('{% if a', 7)).toBe(true);
});

test('prints values and loops over lists', () => {
  const at = { isList: false, bare: false };
  expect(insertionText(['payload', 'title'], at)).toBe('{{ payload.title }}');
  expect(insertionText(['payload', 'title'], { ...at, bare: true })).toBe('payload.title');
  expect(insertionText(['payload', 'tags'], { ...at, isList: true })).toBe(
    '{% for item in payload.tags %}{{ item }}\n{% endfor %}',
  );
});
