import { expect, test } from 'vitest';
import { emptyVariables } from './empty-variables.ts';

const empty = (template: string) =>
  emptyVariables(template, {
    payload: { title: '', none: null, zero: 0, no: false, author: { name: 'Ada' }, items: ['a', 'b'] },
  });

test('names what a template prints and the sample lacks, each once', () => {
  expect(empty('New: {{ payload.title }} {{payload.none}} {{- payload.title | upcase -}}')).toEqual([
    'payload.title',
    'payload.none',
  ]);
  expect(empty('{{ payload.author.email }} {{ payload.items[2] }} {{ payload["two words"] }}')).toEqual([
    'payload.author.email',
    'payload.items[2]',
    'payload["two words"]',
  ]);
});

test('leaves out values, and what is printed for an empty one', () => {
  expect(
    empty('{{ payload.zero }} {{ payload.no }} {{ payload.author.name }} {{ payload.items[1] }}'),
  ).toEqual([]);
  expect(empty('{{ payload.items.size }} {{ payload.items.last }} {{ payload.author.name.size }}')).toEqual(
    [],
  );
  expect(empty('{{ payload.title | default: "Untitled" }}')).toEqual([]);
});

test('leaves out what the template tests or defines', () => {
  expect(empty('{% if payload.title %}{{ payload.title }}{% endif %}')).toEqual([]);
  expect(empty('{% for item in payload.list %}{{ item.name }}{% endfor %}')).toEqual([]);
});
