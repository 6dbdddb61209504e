import { expect, test } from 'vitest';
import { formatAmount, formatUsd, formatUsed, getLimit, getShares } from './budget-text.ts';

test('shows amounts in the unit of the limit', () => {
  expect(getLimit({ limit: { tokens: 5 } })).toEqual({ unit: 'tokens', amount: 5 });
  expect(formatAmount(1, 'calls')).toBe('1 call');
  expect(formatUsed(3, { unit: 'calls', amount: 10 })).toBe('3 of 10 calls');
  expect(formatUsed(12.5, { unit: 'usd', amount: 50 })).toBe('$12.50 of $50.00');
  expect(formatUsd(0.000423)).toBe('$0.00042');
  expect(formatUsd(0.0107)).toBe('$0.0107');
  expect(formatUsd(0.05)).toBe('$0.05');
  expect(formatUsd(0)).toBe('$0.00');
});

test('what is used and reserved never exceeds the bar', () => {
  const of = (used: number, reserved: number) =>
    getShares({ limit: { calls: 10 }, used, reserved, remaining: Math.max(0, 10 - used - reserved) });
  expect(of(2, 1)).toEqual({ used: 20, reserved: 10, tone: 'good' });
  expect(of(8, 1)).toEqual({ used: 80, reserved: 10, tone: 'warn' });
  expect(of(12, 3)).toEqual({ used: 100, reserved: 0, tone: 'bad' });
  expect(getShares({ limit: { usd: 0 }, used: 0, reserved: 0, remaining: 0 }).tone).toBe('bad');
});
