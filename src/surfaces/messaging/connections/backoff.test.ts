import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DriverError } from '../../../channels/contract/driver-error.ts';
import { backoffMs, GIVE_UP_AFTER_MS, STABLE_MS } from './backoff.ts';
import { getNextState } from './ending.ts';

const claimed = {
  instance_id: '',
  workspace_id: '',
  epoch: 1,
  generation: 1,
  failures: 0,
  failing_since: null,
  position: null,
};
const lost = new DriverError('lost', 'unreachable', 'Nobody there.');
const now = new Date('2026-01-02T00:00:00Z');

test('delays are random up to a bound that doubles from one second to five minutes', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 100_000 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (failures, random) => {
        const bound = Math.min(300_000, 1_000 * 2 ** (failures - 1));
        expect(backoffMs(failures, null, () => random)).toBe(Math.round(random * bound));
      },
    ),
  );
});

test('a delay is never longer than the outage so far, and a connection that drops repeatedly does not retry faster', () => {
  const longest = (failures: number, failingForMs: number | null) =>
    backoffMs(failures, failingForMs, () => 1);
  expect([longest(30, 0), longest(30, 60_000), longest(30, 3_600_000)]).toEqual([10_000, 60_000, 300_000]);
  expect([longest(1, 60_000), longest(5, 60_000), longest(30, null)]).toEqual([1_000, 16_000, 300_000]);
  const since = { ...claimed, failures: 30, failing_since: new Date(now.getTime() - 20_000) };
  for (let tries = 0; tries < 200; tries++)
    expect(getNextState(lost, since, null, now).row!.dueInMs).toBeLessThanOrEqual(20_000);
});

test('connections lost together return spread over the whole delay', () => {
  const waits = Array.from({ length: 2_000 }, () => backoffMs(5));
  const tenths = new Set(waits.map((wait) => Math.floor(wait / 1_600)));
  for (let tenth = 0; tenth < 10; tenth++) expect(tenths).toContain(tenth);
});

test('failures are counted until a connection has been stable', () => {
  const after = (failures: number, lastedMs: number | null) =>
    getNextState(lost, { ...claimed, failures }, lastedMs, now).row!.failures;
  expect([after(4, null), after(4, 1_000), after(4, STABLE_MS)]).toEqual([5, 5, 1]);
});

test('gives up after 24 h of failures, but not of drops', () => {
  const since = (ms: number) => ({ ...claimed, failures: 9, failing_since: new Date(now.getTime() - ms) });
  const state = (ms: number, lastedMs: number | null) =>
    getNextState(lost, since(ms), lastedMs, now).to!.state;
  expect(state(GIVE_UP_AFTER_MS - 1, null)).toBe('reconnecting');
  expect(state(GIVE_UP_AFTER_MS, null)).toBe('failed');
  expect(state(GIVE_UP_AFTER_MS, 1_000)).toBe('reconnecting');
});

test('the channel may request a longer delay', () => {
  const busy = new DriverError('busy', 'too_many', 'Later.', { retryAfterMs: 90_000 });
  expect(getNextState(busy, claimed, null, now).row!.dueInMs).toBe(90_000);
  const until = new Date(now.getTime() + 3_600_000);
  const restricted = new DriverError('restricted', 'flood', 'Later.', { until });
  expect(getNextState(restricted, claimed, null, now).row!.dueInMs).toBe(3_600_000);
});

test('any error text can be stored', () => {
  const odd = new DriverError('lost', 'o\0dd', `\0${'x'.repeat(498)}😀 and more`);
  const columns = getNextState(odd, claimed, null, now).change!('connecting', now);
  expect(columns.last_error_code).toBe('o\ufffddd');
  expect(columns.last_error_detail).toBe(`\ufffd${'x'.repeat(498)}\ufffd`);
});
