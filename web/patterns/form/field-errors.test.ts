import { expect, test } from 'vitest';
import { getField, getPointer, sentence } from './field-errors.ts';

test('an error belongs to the first part of its pointer, or to a query parameter', () => {
  expect(getField({ pointer: '/headers/X-Key' })).toBe('headers');
  expect(getField({ pointer: '?limit' })).toBe('limit');
  expect(getField({ pointer: '' })).toBe('');
});

test('pointers escape slashes and tildes', () => {
  expect(getPointer('headers', 'a/b~c')).toBe('/headers/a~1b~0c');
});

test('a detail becomes a sentence', () => {
  expect(sentence('must be a URL')).toBe('Must be a URL');
  expect(sentence(undefined)).toBeUndefined();
});
