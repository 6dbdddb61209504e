import { describe, expect, test } from 'vitest';
import { completeLiquid } from './liquid-completion.ts';

const scope = {
  payload: { title: 'Spring', author: { name: 'Ada' }, items: [{ sku: 'a1' }], 'two words': 1 },
  headers: { 'x-event': 'push' },
};
const labels = (before: string, { bare = false, explicit = false } = {}) =>
  completeLiquid(before, { scope, bare, explicit })?.options.map(({ label }) => label) ?? [];

describe('completeLiquid', () => {
  test('offers nothing outside of braces and inside of texts', () => {
    expect(labels('Hello pay')).toEqual([]);
    expect(labels('{{ payload.title }} pay')).toEqual([]);
    expect(labels('{{ "pay')).toEqual([]);
  });

  test('offers the variables of the sample', () => {
    expect(labels('{{ ')).toEqual(expect.arrayContaining(['payload', 'headers']));
    expect(labels('{{ pay')).toContain('payload');
    expect(completeLiquid('New: {{ pay', { scope, bare: false, explicit: false })?.from).toBe(8);
  });

  test('offers the properties of a path, with their values', () => {
    const found = completeLiquid('{{ payload.au', { scope, bare: false, explicit: false });
    expect(found?.from).toBe('{{ payload.'.length);
    expect(found?.options).toContainEqual({ label: 'title', type: 'property', detail: '"Spring"' });
    expect(found?.options).toContainEqual(
      expect.objectContaining({ label: 'two words', bracket: '["two words"]' }),
    );
    expect(labels('{{ payload.items[0].')).toEqual(['sku']);
    expect(labels('{{ payload.items.')).toEqual(['first', 'last', 'size']);
    expect(labels('{{ payload.author.name.')).toEqual([]);
    expect(labels('{{ payload["author"].')).toEqual(['name']);
  });

  test('offers what loops and assignments define', () => {
    expect(labels('{% for item in payload.items %}{{ item.')).toEqual(['sku']);
    expect(labels('{% assign who = payload.author %}{{ who.')).toEqual(['name']);
    expect(labels('{% for item in payload.items %}{{ fo')).toContain('forloop');
  });

  test('offers tags and the filters of the product', () => {
    expect(labels('{% ')).toContain('unless');
    expect(labels('{% inc')).not.toContain('include');
    expect(labels('{{ payload.title | up')).toEqual(expect.arrayContaining(['upcase', 'is_between']));
  });

  test('takes conditions without braces', () => {
    expect(labels('', { bare: true })).toEqual([]);
    expect(labels('', { bare: true, explicit: true })).toContain('payload');
    expect(labels('payload.', { bare: true })).toContain('title');
    expect(labels('payload.title co', { bare: true })).toContain('contains');
    expect(labels('{{ payload.title co')).not.toContain('contains');
  });
});
