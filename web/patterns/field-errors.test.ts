import { expect, test } from 'vitest';
import { getField, getFieldName, getPointer, sentence } from './field-errors.ts';

test('an error belongs to the first part of its pointer, or to a query parameter', () => {
  expect(getField({ pointer: '/headers/X-Key' })).toBe('headers');
  expect(getField({ pointer: '?limit' })).toBe('limit');
  expect(getField({ pointer: '' })).toBe('');
});

test('pointers escape slashes and tildes', () => {
  expect(getPointer('headers', 'a/b~c')).toBe('/headers/a~1b~0c');
});

test.each([
  ['/name', 'Name'],
  ['/actions/0/url_template', 'Actions › 1 › URL template'],
  ['?created_after', 'Created after'],
])('%s is named %s', (pointer, name) => expect(getFieldName(pointer)).toBe(name));

test('a detail becomes a sentence', () => {
  expect(sentence('must be a URL')).toBe('Must be a URL');
  expect(sentence(undefined)).toBeUndefined();
});
