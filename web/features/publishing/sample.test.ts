import { expect, test } from 'vitest';
import { firstExample, typedSample } from './sample.ts';

test('keeps the last valid payload while the text is invalid', () => {
  const valid = typedSample(firstExample(), '{"a": 1}');
  expect(valid).toMatchObject({ source: 'custom', received: { payload: { a: 1 } }, error: null });
  const invalid = typedSample(valid, '{"a": ');
  expect(invalid.received.payload).toEqual({ a: 1 });
  expect(invalid.text).toBe('{"a": ');
  expect(invalid.error).toMatch(/^Invalid JSON: /);
});
