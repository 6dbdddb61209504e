import { expect, it } from 'vitest';
import { BUDGET_BURST, BUDGET_PER_SECOND, createTemplateBudget } from './budget.ts';
import { createWorkspaceQueue } from './workspace-queue.ts';

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

it('gives workspaces turns, and each its own order', () => {
  const queue = createWorkspaceQueue<{ workspaceId: string; n: number }>();
  for (let n = 0; n < 3; n++) queue.add({ workspaceId: 'a', n });
  queue.add({ workspaceId: 'b', n: 0 });
  const next = (may: (workspaceId: string) => boolean = () => true) => {
    const item = queue.take(may);
    return item && `${item.workspaceId}${item.n}`;
  };
  expect([next(), next(), next()]).toEqual(['a0', 'b0', 'a1']);
  queue.requeue({ workspaceId: 'a', n: 1 });
  queue.add({ workspaceId: 'c', n: 0 });
  expect(next((workspaceId) => workspaceId !== 'a')).toBe('c0');
  expect([next(), next(), next(), queue.size]).toEqual(['a1', 'a2', undefined, 0]);
});
