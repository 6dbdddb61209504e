import { expect, test } from 'vitest';
import type { DeliveryQueue } from '../../api/types.ts';
import { findProblems } from './problems.ts';

const queue = (change: Partial<DeliveryQueue> = {}) =>
  ({
    failing_webhooks: 0,
    degraded_webhooks: 0,
    oldest_due_seconds: null,
    oldest_due_at: null,
    last_attempt_at: null,
    ...change,
  }) as DeliveryQueue;
const found = (change: Partial<Parameters<typeof findProblems>[0]> = {}) =>
  findProblems({
    isStorageFull: false,
    queue: queue(),
    instances: [],
    hasMoreInstances: false,
    failures: [],
    ...change,
  });

test('nothing is wrong', () => {
  expect(found()).toEqual([]);
  expect(found({ queue: undefined })).toEqual([]);
});

test('each kind of problem has a text and leads to where it can be solved, worst first', () => {
  const problems = found({
    isStorageFull: true,
    queue: queue({ failing_webhooks: 2, degraded_webhooks: 1 }),
    instances: [{ id: 'ins_1', name: 'Support desk', state: 'action_required' }],
    failures: [{ type: 'publication.failed' }, { type: 'rule.failed' }],
  });
  expect(problems.map(({ text }) => text)).toEqual([
    'Storage is full: new data is rejected',
    '2 webhooks are failing',
    '1 webhook is degraded',
    'Instance Support desk needs an action',
    '1 publication failed',
  ]);
  expect(problems[1]?.link).toEqual({ to: '/w/$workspace/webhooks', search: { state: 'failing' } });
  expect(problems[3]?.link).toEqual({ to: '/w/$workspace/instances/$id', params: { id: 'ins_1' } });
});

test('several instances lead to their list', () => {
  const instances = [1, 2].map((n) => ({ id: `ins_${n}`, name: `Branch ${n}`, state: 'failed' as const }));
  expect(found({ instances })).toMatchObject([
    {
      text: "2 instances can't connect",
      link: { to: '/w/$workspace/instances', search: { state: 'failed' } },
    },
  ]);
  expect(found({ instances, hasMoreInstances: true })[0]?.text).toBe("2+ instances can't connect");
});

test('deliveries that wait too long are a problem of their own', () => {
  const due = { oldest_due_seconds: 90, oldest_due_at: '2026-01-15T09:30:00Z' };
  expect(found({ queue: queue(due) })).toMatchObject([{ tone: 'bad', text: 'Deliveries have stopped' }]);
});
