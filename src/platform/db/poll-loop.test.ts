import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createPollLoop, type PollLoop } from './poll-loop.ts';

let turns: number[];
let found: 'idle' | 'busy' | 'more';
let isFailing: boolean;
let faults: number[];
let loop: PollLoop;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  turns = [];
  faults = [];
  found = 'idle';
  isFailing = false;
  loop = createPollLoop({
    gatherMs: 4,
    async turn() {
      turns.push(performance.now());
      if (isFailing) throw new Error('away');
      return found;
    },
    onFault: (_error, failures) => void faults.push(failures),
  });
});
afterEach(async () => {
  await loop.stop();
  vi.useRealTimers();
});

/** The times between turns. */
const waits = (): number[] => turns.slice(1).map((at, n) => at - turns[n]!);

test('polls every 20 ms while busy, and less and less often while idle', async () => {
  found = 'busy';
  loop.start();
  await vi.advanceTimersByTimeAsync(100);
  expect(waits()).toEqual([20, 20, 20, 20, 20]);
  found = 'idle';
  turns = [];
  await vi.advanceTimersByTimeAsync(1_000);
  expect(waits().slice(0, 5)).toEqual([40, 80, 160, 250, 250]);
});

test('runs a turn a few ms after a hint, long before it would poll', async () => {
  loop.start();
  await vi.advanceTimersByTimeAsync(2_000);
  turns = [];
  const hintedAt = performance.now();
  loop.wake();
  await vi.advanceTimersByTimeAsync(10);
  expect(turns).toHaveLength(1);
  expect(turns[0]! - hintedAt).toBeLessThanOrEqual(4);
});

test('hints that come close together share a turn', async () => {
  loop.start();
  await vi.advanceTimersByTimeAsync(2_000);
  turns = [];
  for (let n = 0; n < 10; n++) loop.wake();
  await vi.advanceTimersByTimeAsync(3);
  loop.wake();
  await vi.advanceTimersByTimeAsync(4);
  expect(turns).toHaveLength(2);
});

test('retries a failing turn with growing waits, whatever is hinted, and reports the first fault', async () => {
  isFailing = true;
  loop.start();
  for (let n = 0; n < 100; n++) {
    loop.wake();
    await vi.advanceTimersByTimeAsync(50);
  }
  expect(waits().slice(0, 5)).toEqual([40, 80, 160, 320, 640]);
  expect(faults).toEqual([1]);
});

test('runs nothing after its stop', async () => {
  loop.start();
  await vi.advanceTimersByTimeAsync(100);
  await loop.stop();
  turns = [];
  loop.wake();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(turns).toEqual([]);
});
