import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createPoller, type CycleOutcome, type Poller } from './poller.ts';

let cycles: number[];
let found: CycleOutcome;
let isFailing: boolean;
let recover: () => Promise<void>;
let reported: number[];
let poller: Poller;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  cycles = [];
  reported = [];
  found = 'idle';
  isFailing = false;
  recover = vi.fn<() => Promise<void>>(async () => {});
  poller = createPoller({
    gatherMs: 4,
    recover: () => recover(),
    async cycle() {
      cycles.push(performance.now());
      if (isFailing) throw new Error('away');
      return found;
    },
    onError: (_error, failures) => void reported.push(failures),
  });
});
afterEach(async () => {
  await poller.stop();
  vi.useRealTimers();
});

/** The times between cycles. */
const waits = (): number[] => cycles.slice(1).map((at, n) => at - cycles[n]!);

test('polls every 20 ms while busy, and less and less often while idle', async () => {
  found = 'busy';
  poller.start();
  await vi.advanceTimersByTimeAsync(100);
  expect(waits()).toEqual([20, 20, 20, 20, 20]);
  found = 'idle';
  cycles = [];
  await vi.advanceTimersByTimeAsync(1_000);
  expect(waits().slice(0, 5)).toEqual([40, 80, 160, 250, 250]);
});

test('runs a turn a few ms after a hint, long before it would poll', async () => {
  poller.start();
  await vi.advanceTimersByTimeAsync(2_000);
  cycles = [];
  const wokenAt = performance.now();
  poller.wake();
  await vi.advanceTimersByTimeAsync(10);
  expect(cycles).toHaveLength(1);
  expect(cycles[0]! - wokenAt).toBeLessThanOrEqual(4);
});

test('hints that come close together share a turn', async () => {
  poller.start();
  await vi.advanceTimersByTimeAsync(2_000);
  cycles = [];
  for (let n = 0; n < 10; n++) poller.wake();
  await vi.advanceTimersByTimeAsync(3);
  poller.wake();
  await vi.advanceTimersByTimeAsync(4);
  expect(cycles).toHaveLength(2);
});

test('retries a failed cycle with growing waits, whatever is hinted, and reports the first fault', async () => {
  isFailing = true;
  poller.start();
  for (let n = 0; n < 100; n++) {
    poller.wake();
    await vi.advanceTimersByTimeAsync(50);
  }
  expect(waits().slice(0, 5)).toEqual([40, 80, 160, 320, 640]);
  expect(reported).toEqual([1]);
});

test('recovers once before the cycle after a failed one, and until that succeeds no cycle runs', async () => {
  poller.start();
  await vi.advanceTimersByTimeAsync(1);
  isFailing = true;
  await vi.advanceTimersByTimeAsync(100);
  isFailing = false;
  const failed = cycles.length;
  recover = vi
    .fn<() => Promise<void>>()
    .mockRejectedValueOnce(new Error('away'))
    .mockResolvedValue(undefined);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(recover).toHaveBeenCalledTimes(2);
  expect(cycles.length).toBeGreaterThan(failed);
  // The wait after the failed recovery is the next one of the backoff.
  expect(cycles[failed]! - cycles[failed - 1]!).toBeGreaterThan(160);
});

test('recovers on request, without waiting for a failure', async () => {
  poller.start();
  await vi.advanceTimersByTimeAsync(100);
  expect(recover).not.toHaveBeenCalled();
  poller.requestRecovery();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(recover).toHaveBeenCalledTimes(1);
});

test('runs nothing after its stop', async () => {
  poller.start();
  await vi.advanceTimersByTimeAsync(100);
  await poller.stop();
  cycles = [];
  poller.wake();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(cycles).toEqual([]);
});
