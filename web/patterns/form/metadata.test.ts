import { expect, test } from 'vitest';
import { getMetadata, newPair, toPairs } from './metadata.ts';

test('metadata survives the form, without unnamed pairs', () => {
  const metadata = { team: 'growth', plan: '' };
  expect(getMetadata(toPairs(metadata))).toEqual(metadata);
  expect(getMetadata([newPair(' team ', 'growth'), newPair('', 'lost')])).toEqual({ team: 'growth' });
  expect(toPairs(undefined)).toEqual([]);
});
