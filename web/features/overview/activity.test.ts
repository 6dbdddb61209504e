import { expect, test } from 'vitest';
import type { Activity } from '../../api/types.ts';
import { currentInterval, getRange, rangeStart } from '../../patterns/activity/activity-range.ts';
import { activityRange, getMeasures } from './activity.ts';

const NOW = Date.parse('2026-01-15T09:30:00Z');
const interval = (n: number): Activity['data'][number] => ({
  start: '2026-01-15T00:00:00Z',
  messages: { inbound: n, outbound: n, failed: 1 },
  clicks: n,
  deliveries: { succeeded: n, failed: 2 },
  requests: { total: 10, errors: n },
});

test.each([
  ['24h', '2026-01-13T10:00:00.000Z', '2026-01-14T10:00:00.000Z'],
  ['7d', '2026-01-02T00:00:00.000Z', '2026-01-09T00:00:00.000Z'],
  ['30d', '2025-12-17T00:00:00.000Z', '2025-12-17T00:00:00.000Z'],
] as const)('%s is asked for from %s and starts at %s', (name, asked, start) => {
  const range = getRange(name);
  const current = currentInterval(range, NOW);
  expect(activityRange(range, current)).toEqual({ from: asked, interval: range.interval });
  expect(rangeStart(range, current)).toBe(start);
});

test('one answer has the range and the one before it', () => {
  const measures = getMeasures(getRange('7d'), [
    ...Array.from({ length: 7 }, () => interval(1)),
    ...Array.from({ length: 7 }, () => interval(3)),
  ]);
  expect(measures.map(({ key, total, before }) => [key, total, before])).toEqual([
    ['messages', 42, 14],
    ['clicks', 21, 7],
    ['deliveries', 21, 7],
    ['errors', 21, 7],
  ]);
  expect(measures.map(({ failed }) => failed?.[0] ?? null)).toEqual([1, null, 2, 3]);
  expect(measures[1]?.values).toEqual([3, 3, 3, 3, 3, 3, 3]);
  expect(measures[3]?.values[0]).toBe(0);
});

test('30 days are not compared: counts are not kept for longer', () => {
  const measures = getMeasures(
    getRange('30d'),
    Array.from({ length: 30 }, () => interval(1)),
  );
  expect(measures[1]).toMatchObject({ total: 30, before: null });
});
