import { expect, test } from 'vitest';
import type { Budget } from '../../api/types.ts';
import { toBody, toBudgetForm, toChange } from './budget-form.ts';

const BUDGET = {
  name: 'Support bot',
  api_key_id: 'key_1',
  limit: { calls: 10 },
  window: 'day',
  reservation: 'worst_case',
  metadata: {},
} as unknown as Budget;

test('a new budget names a key only if it applies to one', () => {
  const form = { ...toBudgetForm(null), name: ' All ' };
  expect(toBody(form)).toEqual({
    name: 'All',
    limit: { usd: 50 },
    window: 'month',
    reservation: 'worst_case',
  });
  expect(toBody({ ...form, scope: 'key', api_key_id: 'key_1' })).toMatchObject({ api_key_id: 'key_1' });
});

test('a PATCH body has only what changed', () => {
  const form = toBudgetForm(BUDGET);
  expect(toChange(form, BUDGET)).toEqual({});
  expect(toChange({ ...form, limit: { unit: 'calls', amount: 20 } }, BUDGET)).toEqual({
    limit: { calls: 20 },
  });
  expect(toChange({ ...form, reservation: 'typical' }, BUDGET)).toEqual({ reservation: 'typical' });
});
