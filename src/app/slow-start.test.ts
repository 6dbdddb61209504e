import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { watchStart } from './slow-start.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a start says what it is busy with when it takes long, now and then, and no more when it is over', () => {
  const told: string[] = [];
  const start = watchStart((line) => told.push(line));
  start.stage('the database');
  vi.advanceTimersByTime(3_900);
  expect(told).toEqual([]);
  vi.advanceTimersByTime(100);
  start.stage('the server');
  vi.advanceTimersByTime(15_000);
  expect(told).toEqual(['Still starting, for 4 s: the database …', 'Still starting, for 19 s: the server …']);
  start.end();
  vi.advanceTimersByTime(60_000);
  expect(told).toHaveLength(2);
});
