import { expect, test } from 'vitest';
import type { DeliveryQueue } from '../../api/types.ts';
import { formatAge, getQueueAlert } from './queue-alert.ts';

const SINCE = '2026-01-15T09:00:00Z';
const queue = (lateSeconds: number | null, lastAttempt: string | null) =>
  ({
    oldest_due_seconds: lateSeconds,
    oldest_due_at: lateSeconds === null ? null : SINCE,
    last_attempt_at: lastAttempt,
  }) as DeliveryQueue;

test('is silent while deliveries are on time', () => {
  expect(getQueueAlert(queue(null, null))).toBeNull();
  expect(getQueueAlert(queue(29, null))).toBeNull();
});

test('tells stopped deliveries from slow ones', () => {
  expect(getQueueAlert(queue(120, null))).toMatchObject({ tone: 'bad', title: 'Deliveries have stopped' });
  expect(getQueueAlert(queue(120, '2026-01-15T09:01:00Z'))).toMatchObject({ tone: 'bad' });
  expect(getQueueAlert(queue(120, '2026-01-15T09:01:55Z'))).toMatchObject({
    tone: 'warn',
    title: 'Deliveries are delayed',
  });
});

test('names the time since in its largest unit', () => {
  expect([5, 185, 7200, 172_800].map(formatAge)).toEqual(['5 sec', '3 min', '2 hr', '2 days']);
});
