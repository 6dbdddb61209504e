import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { collectOnceIdle } from './collect-garbage.ts';

let utilization: number;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  vi.spyOn(performance, 'eventLoopUtilization').mockImplementation(() => ({
    idle: 0,
    active: 0,
    utilization,
  }));
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** Returns whether something that nothing refers to is still in memory. */
async function makeGarbage(): Promise<() => boolean> {
  const garbage = new WeakRef({ of: 'the start' });
  await nextTurn(); // a WeakRef keeps its target for the rest of the turn that made it
  return () => garbage.deref() !== undefined;
}

async function pass(ms: number): Promise<void> {
  vi.advanceTimersByTime(ms);
  await nextTurn();
}

test('garbage is collected once the process is idle', async () => {
  const isThere = await makeGarbage();
  utilization = 0.01;
  collectOnceIdle();
  await pass(7_000);
  expect(isThere()).toBe(true);
  await nextTurn();
  await pass(2_000);
  expect(isThere()).toBe(false);
  expect(vi.getTimerCount()).toBe(0);
});

test('a busy process is left alone until it is idle', async () => {
  const isThere = await makeGarbage();
  utilization = 0.5;
  collectOnceIdle();
  await pass(60_000);
  expect(isThere()).toBe(true);
  await nextTurn();
  utilization = 0.01;
  await pass(10_000);
  expect(isThere()).toBe(false);
});

test('the wait can be given up', async () => {
  const isThere = await makeGarbage();
  utilization = 0;
  collectOnceIdle()();
  await pass(60_000);
  expect(isThere()).toBe(true);
});
