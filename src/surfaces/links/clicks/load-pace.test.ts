import { performance } from 'node:perf_hooks';
import { expect, it } from 'vitest';
import { createLoadPace, type LoadPace, type RedirectLoad } from './load-pace.ts';

const GIB = 1024 ** 3;

function spin(ms: number): void {
  for (const until = performance.now() + ms; performance.now() < until;);
}

/** A batch, then six times as long in which others kept the process busy, and it recorded some clicks. */
function afterBatch(pace: LoadPace, press: RedirectLoad, clicks: number, lagSeconds: number): number {
  expect(pace.getDelay(lagSeconds)).toBe(0);
  const began = performance.now();
  pace.work(() => spin(15));
  spin(6 * (performance.now() - began));
  press.recorded += clicks;
  return pace.getDelay(lagSeconds);
}

function startPace(backlogBytes = 0): { pace: LoadPace; press: RedirectLoad } {
  const press = { recorded: 0, backlogBytes };
  return { press, pace: createLoadPace(() => press) };
}

it('rests after a batch while thousands of visits a second keep the process busy, and asks again soon', () => {
  const { pace, press } = startPace();
  const rest = afterBatch(pace, press, 1_000_000, 0);
  expect(rest).toBeGreaterThan(0);
  expect(rest).toBeLessThanOrEqual(250);
  // No visits in the meantime.
  expect(pace.getDelay(0)).toBe(0);
});

it('goes on after a while although they still come', () => {
  const { pace, press } = startPace();
  const began = performance.now();
  expect(afterBatch(pace, press, 1_000_000, 60)).toBeGreaterThan(0);
  do {
    spin(20);
    press.recorded += 1_000_000;
  } while (pace.getDelay(60) > 0);
  expect(performance.now() - began).toBeGreaterThan(100);
});

it('does not rest while few come, whatever else keeps the process busy', () => {
  const { pace, press } = startPace();
  expect(afterBatch(pace, press, 10, 0)).toBe(0);
});

it('does not rest once the journal holds more than it should', () => {
  const { pace, press } = startPace(2 * GIB);
  expect(afterBatch(pace, press, 1_000_000, 0)).toBe(0);
});
