import { expect, test } from 'vitest';
import { emptyValues } from './empty-values.ts';

const PAYLOAD = { title: '', author: { name: 'Ada' }, tags: ['news'], count: 0, published: false };

test.each([
  ['{{ payload.title }} by {{payload.author.name}}', ['payload.title']],
  ['{{- payload.author.email | upcase -}} {{ payload.author.email }}', ['payload.author.email']],
  ['{{ payload.title | default: "Untitled" }}', []],
  ['{% if payload.title %}{{ payload.title }}{% endif %}', []],
  ['{{ payload.count }} {{ payload.published }} {{ payload.tags.size }} {{ payload.tags.first }}', []],
])('%s', (template, empty) => expect(emptyValues([template], PAYLOAD)).toEqual(empty));

test('a payload may be of any type', () =>
  expect(emptyValues(['{{ payload.title }}'], null)).toEqual(['payload.title']));
