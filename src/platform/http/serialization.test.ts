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

test('every schema of an answer can be compiled', () => {
  const schemas = app.app.operations.flatMap(({ spec }) => [spec.success.schema, spec.otherSuccess?.schema]);
  expect(schemas.filter(Boolean).length).toBeGreaterThan(40);
  for (const schema of schemas) if (schema) expect(build(schema as Schema)).toBeTypeOf('function');
});
