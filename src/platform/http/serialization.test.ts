import { afterAll, expect, test } from 'vitest';
import build, { type Schema } from 'fast-json-stringify';
import { startTestApp } from '../../../test/support/test-app.ts';
import { lazySerializers } from './serialization.ts';

const app = await startTestApp();
afterAll(() => app.stop());

test('sends what the schema declares, and nothing else', () => {
  const schema = { type: 'object', properties: { id: { type: 'string' }, at: { type: ['string', 'null'] } } };
  const serialize = lazySerializers()({ schema });
  expect(serialize({ id: 'a', at: null, secret: 'x' })).toBe('{"id":"a","at":null}');
  expect(serialize({ id: 'b' })).toBe('{"id":"b"}');
});

test('shows values beyond the limits of the schema, of whatever keyword', () => {
  const limited = {
    type: 'object',
    properties: {
      text: { type: 'string', minLength: 1, maxLength: 3, pattern: '^a' },
      list: {
        type: 'array',
        items: { type: 'string', minLength: 1 },
        minItems: 1,
        maxItems: 1,
        uniqueItems: true,
      },
      count: { type: 'number', minimum: 1, maximum: 2 },
      pattern: { type: 'string', minLength: 1 },
    },
    required: ['text'],
  };
  const serialize = lazySerializers()({
    schema: { type: 'object', properties: { at: { anyOf: [limited, { type: 'null' }] } } },
  });
  for (const at of [
    { text: '', list: [], count: 0, pattern: '' },
    { text: 'beyond', list: ['', ''], count: 3, pattern: 'p' },
  ])
    expect(JSON.parse(serialize({ at }))).toEqual({ at });
});

test('shows an object that an earlier version stored, without the properties of this one', () => {
  const entry = {
    type: 'object',
    properties: { a: { type: 'string' }, b: { type: 'string' } },
    required: ['a', 'b'],
  };
  const serialize = lazySerializers()({
    schema: {
      ...entry,
      properties: { ...entry.properties, list: { type: 'array', items: entry } },
      required: ['list'],
    },
  });
  expect(JSON.parse(serialize({ a: 'x' }))).toEqual({ a: 'x' });
  expect(JSON.parse(serialize({ list: [{ a: 'x' }, { a: 'x', b: 'y' }] }))).toEqual({
    list: [{ a: 'x' }, { a: 'x', b: 'y' }],
  });
});

test('tells the objects of a choice apart by what each requires', () => {
  const one = (name: string) => ({
    type: 'object',
    properties: { [name]: { type: 'number' } },
    required: [name],
  });
  const serialize = lazySerializers()({
    schema: {
      type: 'object',
      properties: { limit: { anyOf: [one('usd'), one('tokens'), { type: 'null' }] } },
    },
  });
  for (const limit of [{ usd: 5 }, { tokens: 7 }, null])
    expect(JSON.parse(serialize({ limit }))).toEqual({ limit });
});

test('every schema of an answer can be compiled', () => {
  const schemas = app.app.operations.flatMap(({ spec }) => [spec.success.schema, spec.otherSuccess?.schema]);
  expect(schemas.filter(Boolean).length).toBeGreaterThan(40);
  for (const schema of schemas) if (schema) expect(build(schema as Schema)).toBeTypeOf('function');
});
