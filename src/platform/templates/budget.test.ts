import { expect, it } from 'vitest';
import { BUDGET_BURST, BUDGET_PER_SECOND, createTemplateBudget } from './budget.ts';

it('refuses who has used up its time until some came back', () => {
  let now = 0;
  const budget = createTemplateBudget(() => now);
  budget.spend('a', BUDGET_BURST / 2 - 1);
  expect(budget.isSlow('a')).toBe(false);
  budget.spend('a', 2);
  expect(budget.isSlow('a')).toBe(true);
  expect(budget.refusal('a')).toBeNull();
  budget.spend('a', BUDGET_BURST);
  expect(budget.refusal('a')?.code).toBe('template_budget');
  expect(budget.refusal('b')).toBeNull();
  now += ((BUDGET_BURST / 2 + 2) * 1000) / BUDGET_PER_SECOND;
  expect(budget.refusal('a')).toBeNull();
});

it('pauses who was ended by force several times, for twice as long each time, and forgets', () => {
  let now = 0;
  const budget = createTemplateBudget(() => now);
  const pause = (): number => {
    const from = now;
    while (budget.refusal('a')) now += 100;
    return now - from;
  };
  for (let stop = 0; stop < 3; stop++) {
    budget.stopped('a', 0);
    expect(budget.refusal('a')).toBeNull();
  }
  budget.stopped('a', 0);
  expect(pause()).toBe(2000);
  budget.stopped('a', 0);
  expect(pause()).toBe(4000);
  now += 100_000;
  budget.stopped('a', 0);
  expect(budget.refusal('a')).toBeNull();
});

it('expects what the last requests took, at most', () => {
  const budget = createTemplateBudget(() => 0);
  expect(budget.expected('a')).toBe(5);
  budget.spend('a', 80);
  expect(budget.expected('a')).toBe(80);
  for (let n = 0; n < 30; n++) budget.spend('a', 0.1);
  expect(budget.expected('a')).toBeLessThan(0.2);
});
