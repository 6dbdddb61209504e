import { expect, test } from 'vitest';
import { fieldOf, pointerOf, sentence } from './field-errors.ts';

test('an error belongs to the first part of its pointer, or to a query parameter', () => {
  expect(fieldOf({ pointer: '/headers/X-Key' })).toBe('headers');
  expect(fieldOf({ pointer: '?limit' })).toBe('limit');
  expect(fieldOf({ pointer: '' })).toBe('');
});

test('pointers escape slashes and tildes', () => {
  expect(pointerOf('headers', 'a/b~c')).toBe('/headers/a~1b~0c');
});

test('a detail becomes a sentence', () => {
  expect(sentence('must be a URL')).toBe('Must be a URL');
  expect(sentence(undefined)).toBeUndefined();
});
