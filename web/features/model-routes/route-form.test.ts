import { expect, test } from 'vitest';
import type { ModelRoute } from '../../api/types.ts';
import { toBody, toChange, moved, newAttempt, toRouteForm } from './route-form.ts';

const ROUTE = {
  name: 'default',
  attempts: [
    { model: 'openai/gpt-5', timeout_seconds: 20 },
    { model: 'fairlead/echo', timeout_seconds: null },
  ],
  on: [],
  metadata: {},
} as unknown as ModelRoute;

test('a blank timeout is that of the provider', () => {
  expect(toBody(toRouteForm(ROUTE))).toEqual({ name: 'default', attempts: ROUTE.attempts });
});

test('an unchanged route has an empty PATCH body', () => {
  expect(toChange(toRouteForm(ROUTE), ROUTE)).toEqual({});
  expect(toChange({ ...toRouteForm(ROUTE), name: ' other ' }, ROUTE)).toEqual({ name: 'other' });
});

test('a further error is named only if it is chosen', () => {
  const form = { ...toRouteForm(ROUTE), on: ['context_length' as const] };
  expect(toBody(form)).toEqual({ name: 'default', attempts: ROUTE.attempts, on: ['context_length'] });
  expect(toChange(form, ROUTE)).toEqual({ on: ['context_length'] });
  expect(toChange({ ...form, on: [] }, { ...ROUTE, on: ['context_length'] })).toEqual({ on: [] });
});

test('attempts move up and down', () => {
  const rows = ['a', 'b', 'c'].map((model) => newAttempt({ model }));
  const order = (list: typeof rows) => list.map(({ model }) => model).join('');
  expect(order(moved(rows, 0, 1))).toBe('bac');
  expect(order(moved(rows, 2, -1))).toBe('acb');
});
