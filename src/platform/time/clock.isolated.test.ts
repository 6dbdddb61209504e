import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type * as Clock from './clock.ts';

let clock: typeof Clock;
const START = Date.parse('2026-03-01T12:00:00Z');
const DAY = 86_400_000;

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date', 'performance', 'setTimeout'], now: START });
  vi.resetModules();
  clock = await import('./clock.ts');
});
afterEach(() => void vi.useRealTimers());

/** A reading whose answer takes `ms`, made after the first of them. */
function read(databaseTime: number, ms: number): void {
  const asked = performance.now();
  vi.advanceTimersByTime(ms);
  clock.observeDatabaseTime(new Date(databaseTime), asked, performance.now());
}

test('without a reading it is the clock of the process', () => {
  vi.setSystemTime(START + DAY);
  expect(clock.currentTime()).toEqual(new Date(START + DAY));
});

test('a reading that agrees changes nothing, however long it takes', () => {
  const before = clock.currentMs();
  read(START + 900, 1_000);
  expect(clock.currentMs()).toBe(before + 1_000);
});

test.each([-DAY, -90_000, 90_000, DAY])(
  'a clock of the process that is set by %i ms is not followed',
  (step) => {
    read(START, 0);
    vi.setSystemTime(Date.now() + step);
    vi.advanceTimersByTime(5_000);
    expect(clock.currentMs()).toBe(START + 5_000);
  },
);

test.each([-DAY, DAY])('a clock of the database that is off by %i ms is followed', (step) => {
  read(START + step, 10);
  expect(Math.abs(clock.currentMs() - (START + step))).toBeLessThanOrEqual(11);
  vi.advanceTimersByTime(1_000);
  read(START + step + 1_010, 0);
  expect(Math.abs(clock.currentMs() - (START + step + 1_010))).toBeLessThanOrEqual(1);
});
