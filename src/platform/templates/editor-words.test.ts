import { Liquid } from 'liquidjs';
import { expect, test } from 'vitest';
import { FILTERS, TAGS } from '../../../web/patterns/workbench/liquid-words.ts';
import { templateFilters } from './filters.ts';

test('the editor of the console offers the filters that there are', () => {
  expect(FILTERS).toEqual(Object.keys(templateFilters()).toSorted());
});

test('the editor offers the tags that there are, with their ends and branches', () => {
  const left = new Set(['include', 'render', 'layout', 'block', '#']);
  const there = Object.keys(new Liquid().tags).filter((name) => !left.has(name));
  expect(TAGS.filter((name) => !/^end|^else$|^elsif$|^when$/.test(name))).toEqual(there.toSorted());
});
