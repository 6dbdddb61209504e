import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { stopInOrder } from './stop-on-signals.ts';

const DRAIN_MS = 50;

/** Records calls and log lines in order. */
function recorded() {
  const done: string[] = [];
  const log = { error: (...said: unknown[]) => void done.push(String(said.at(-1))) };
  const step =
    (name: string, ms = 0) =>
    async () => {
      await delay(ms);
      done.push(name);
    };
  return { done, log, step };
}

test('what is being answered is answered, then the database ends', async () => {
  const { done, log, step } = recorded();
  expect(await stopInOrder(log, { drain: step('drained'), end: step('ended') })).toBe(0);
  expect(done).toEqual(['drained', 'ended']);
});

test('what does not end its answers in time is cut off; the database gets the time that it takes all the same', async () => {
  const { done, log, step } = recorded();
  const stop = { drain: step('drained', 60_000), end: step('ended', 4 * DRAIN_MS) };
  expect(await stopInOrder(log, stop, DRAIN_MS)).toBe(1);
  expect(done).toEqual(['shutdown: not drained within 10 s, exiting', 'ended']);
});

test('the database ends also where draining fails, and a failure is told', async () => {
  const { done, log, step } = recorded();
  const fail = () => Promise.reject(new Error('no'));
  expect(await stopInOrder(log, { drain: fail, end: step('ended') })).toBe(1);
  expect(await stopInOrder(log, { drain: step('drained'), end: fail })).toBe(1);
  expect(done).toEqual(['the stop failed', 'ended', 'drained', 'the stop failed']);
});
