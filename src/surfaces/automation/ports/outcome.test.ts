import { expect, test } from 'vitest';
import { Problem } from '../../../platform/http/problem.ts';
import { failedBy } from './outcome.ts';

const getDetail = (message: string, detail: string): string | undefined => {
  const errors = [{ pointer: '/model', code: 'not_found', detail }];
  return failedBy(new Problem('not_found', message, { errors })).failure?.detail;
};

test('joins the message and the fields of a rejection, and repeats nothing', () => {
  expect(getDetail('There is no model "a".', 'must be the ID of a model')).toBe(
    'There is no model "a"; /model must be the ID of a model',
  );
  expect(getDetail('/model must be the ID of a model', 'must be the ID of a model')).toBe(
    '/model must be the ID of a model',
  );
  expect(failedBy(new Problem('not_found', 'There is no model "a".')).failure?.detail).toBe(
    'There is no model "a".',
  );
});
