import { expect, test } from 'vitest';
import type { Publication } from '../../api/types.ts';
import { canBeCanceled, deliveredCount, explainStatus, publicationLabel } from './publication-text.ts';

test('names why a publication was canceled', () => {
  expect(publicationLabel({ status: 'canceled', reason: 'filtered' })).toBe('Filtered out');
  expect(publicationLabel({ status: 'partially_published', reason: null })).toBe('Partially published');
  expect(explainStatus({ status: 'published', reason: null })).toBeNull();
});

test('counts the destinations that were reached', () => {
  const results = ['sent', 'read', 'failed'].map((status) => ({ status })) as Publication['results'];
  expect(deliveredCount({ results })).toBe('2 of 3');
  expect(deliveredCount({ results: [] })).toBeNull();
});

test('can be canceled until something is sent', () => {
  expect(canBeCanceled({ status: 'scheduled' })).toBe(true);
  expect(canBeCanceled({ status: 'publishing' })).toBe(false);
});
