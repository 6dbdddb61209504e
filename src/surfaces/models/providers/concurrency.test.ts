import { expect, test } from 'vitest';
import { createConcurrency } from './concurrency.ts';

const never = new AbortController().signal;
/** Lets promises that can settle do so. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

test('without a limit nobody waits', async () => {
  const { enter } = createConcurrency();
  const entered = Array.from({ length: 100 }, () => enter('a', null, 1, never));
  expect(await Promise.all(entered)).toHaveLength(100);
});

test('calls beyond the limit wait in order; each provider has its own', async () => {
  const { enter } = createConcurrency();
  const leaveFirst = await enter('a', 1, 60_000, never);
  const entered: number[] = [];
  const waiting = [1, 2].map(async (nth) => {
    const leave = await enter('a', 1, 60_000, never);
    entered.push(nth);
    return leave;
  });
  await enter('b', 1, 60_000, never);
  await settle();
  expect(entered).toEqual([]);
  leaveFirst();
  leaveFirst();
  (await waiting[0]!)();
  (await waiting[1]!)();
  expect(entered).toEqual([1, 2]);
  await enter('a', 1, 1, never);
});

test('a call that waits in vain is rejected with Retry-After', async () => {
  const { enter } = createConcurrency();
  await enter('a', 1, 60_000, never);
  await expect(enter('a', 1, 5, never)).rejects.toMatchObject({
    code: 'rate_limited',
    headers: { 'retry-after': '1' },
  });
});

test('a caller that leaves waits no longer and takes no slot', async () => {
  const { enter } = createConcurrency();
  const leave = await enter('a', 1, 60_000, never);
  const caller = new AbortController();
  const waiting = enter('a', 1, 60_000, caller.signal);
  caller.abort();
  await expect(waiting).rejects.toMatchObject({ code: 'aborted' });
  await expect(enter('a', 1, 60_000, caller.signal)).rejects.toMatchObject({ code: 'aborted' });
  leave();
  await enter('a', 1, 1, never);
});
