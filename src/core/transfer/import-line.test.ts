import { expect, onTestFinished, test, vi } from 'vitest';
import { getMetadata } from './import-line.ts';

test('metadata comes from JSON and from columns of its own; what calls are refused, files are too', () => {
  expect(
    getMetadata({ metadata: '{"a":"1","b":"2"}', 'metadata.b': '3', 'metadata.constructor': 'c' }),
  ).toEqual({
    a: '1',
    b: '3',
    constructor: 'c',
  });
  const refused = 'metadata has a key named __proto__';
  expect(getMetadata({ 'metadata.__proto__': 'x' })).toBe(refused);
  expect(getMetadata({ metadata: '{"__proto__":"x"}' })).toBe(refused);
});

test('metadata with more values than any line needs is refused before it is parsed', () => {
  const parsed = vi.spyOn(JSON, 'parse');
  onTestFinished(() => parsed.mockRestore());
  expect(getMetadata({ metadata: `{"a":[${'[],'.repeat(10_000)}[]]}` })).toBe(
    'metadata must be an object in JSON',
  );
  expect(parsed).not.toHaveBeenCalled();
});
