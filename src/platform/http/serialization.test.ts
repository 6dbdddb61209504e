import { afterAll, expect, test } from 'vitest';
import build, { type Schema } from 'fast-json-stringify';
import { startTestApp } from '../../../test/support/test-app.ts';
import { lazySerializers } from './serialization.ts';

const noMismatch = (error: unknown): never => {
  throw error;
};
const app = await startTestApp();
afterAll(() => app.stop());

test('sends what the schema declares, and nothing else', () => {
  const schema = { type: 'object', properties: { id: { type: 'string' }, at: { type: ['string', 'null'] } } };
  const serialize = lazySerializers(noMismatch)({ schema });
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
  const serialize = lazySerializers(noMismatch)({
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
  const serialize = lazySerializers(noMismatch)({
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
  const serialize = lazySerializers(noMismatch)({
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

test('shows a value of another type as it is, and of an object only what is declared', () => {
  const item = {
    type: 'object',
    properties: {
      at: { type: 'string', format: 'date-time' },
      content: { anyOf: [{ type: 'object', properties: { body: { type: 'string' } } }, { type: 'null' }] },
      names: { type: 'array', items: { type: 'string' } },
      metadata: { type: 'object', additionalProperties: { type: 'string' } },
      open: {},
    },
  };
  const faults: unknown[] = [];
  const serialize = lazySerializers((error) => faults.push(error))({
    schema: { type: 'object', properties: { data: { type: 'array', items: item } } },
  });
  const good = { content: { body: 'x' }, names: ['a'] };
  const odd = {
    at: new Date('2026-01-15T12:00:00Z'),
    content: 'text',
    names: { a: 1 },
    metadata: { a: ['b'] },
    open: { a: [{ b: 1 }] },
    secret: 'x',
  };
  expect(JSON.parse(serialize({ data: [good, { ...odd, content: [1] }, odd, good], secret: 'x' }))).toEqual({
    data: [
      good,
      { at: '2026-01-15T12:00:00.000Z', content: null, names: null, metadata: { a: null }, open: odd.open },
      { at: '2026-01-15T12:00:00.000Z', content: 'text', names: null, metadata: { a: null }, open: odd.open },
      good,
    ],
  });
  expect(faults).toHaveLength(1);
});
