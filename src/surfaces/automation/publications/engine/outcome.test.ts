import { expect, test } from 'vitest';
import { newUuid } from '../../../../platform/http/ids.ts';
import { publicId } from '../../../../core/vocabulary/ids.ts';
import { followed, moveTo, deriveStatus } from '../records/publication-state.ts';
import type { ResultRow } from '../records/publication.store.ts';
import { afterMessage, newResult, nextTry, tried } from './outcome.ts';

const NOW = new Date('2026-01-15T09:30:00Z');
const MESSAGE = publicId('message', newUuid());
const body = {
  instance_id: publicId('instance', newUuid()),
  to: 'alice',
  type: 'text',
  text: { body: 'Hi' },
};
const fresh = newResult({ workspace_id: newUuid(), id: newUuid() }, 0, { body }, NOW);
const queued = tried(
  fresh,
  { id: MESSAGE, instanceId: body.instance_id, status: 'queued', earlier: [] },
  NOW,
  undefined,
);
const after = (result: ResultRow, status: string, error: object | null = null, wasSent = false) =>
  afterMessage(result, { id: MESSAGE, status, error, wasSent } as Parameters<typeof afterMessage>[1], NOW);
const passing = (code: string) => ({ code, detail: '', retryable: true });

test('a destination is tried again three times, later each time, where the channel surely has nothing', () => {
  const waits = [1, 2, 3, 4].map((attempts) => nextTry(passing('expired'), attempts, NOW, () => 0.5));
  expect(waits.map((at) => at && (at.getTime() - NOW.getTime()) / 1000)).toEqual([60, 600, 3_600, null]);
  const [least, max] = [0, 1].map(
    (random) => nextTry(passing('expired'), 1, NOW, () => random)!.getTime() - NOW.getTime(),
  );
  expect([least, max]).toEqual([48_000, 72_000]);
  expect(nextTry(passing('delivery_unknown'), 1, NOW)).toBeNull();
  expect(nextTry({ ...passing('recipient_unknown'), retryable: false }, 1, NOW)).toBeNull();
});

test('what the channel took and gave back is not sent again', () => {
  expect(after(queued, 'failed', passing('expired'))!.next_attempt_at).not.toBeNull();
  expect(after(queued, 'failed', passing('bounced'), true)).toMatchObject({
    status: 'failed',
    error_retryable: false,
    next_attempt_at: null,
  });
});

test('results go forward only, and late knowledge wins', () => {
  const sent = after(queued, 'sent')!;
  expect(after(sent, 'queued')).toBeNull();
  expect(after(after(sent, 'read')!, 'delivered')).toBeNull();
  const unknown = after(queued, 'failed', passing('delivery_unknown'))!;
  expect(after(unknown, 'failed', passing('delivery_unknown'))).toBeNull();
  expect(after(unknown, 'delivered')).toMatchObject({ status: 'delivered', error_code: null });
  expect(afterMessage(queued, undefined, NOW)).toMatchObject({ status: 'failed', error_code: 'not_found' });
  expect(afterMessage(sent, undefined, NOW)).toBeNull();
  expect(followed('canceled', 'sent')).toBeNull();
});

test('a publication is what its destinations come to, by moves of the table alone', () => {
  const of = (...statuses: string[]) => deriveStatus(statuses.map((status) => ({ status })));
  expect(of('sent', 'read')).toBe('published');
  expect(of('sent', 'queued')).toBe('publishing');
  expect(of('failed', 'pending')).toBe('publishing');
  expect(of('delivered', 'failed')).toBe('partially_published');
  expect(of('failed', 'canceled')).toBe('failed');
  expect(moveTo('scheduled', 'publishing')).toBe('publishing');
  for (const [from, to] of [
    ['canceled', 'publishing'],
    ['rejected', 'published'],
    ['published', 'publishing'],
    ['publishing', 'received'],
  ] as const)
    expect(() => moveTo(from, to)).toThrow(/invalid publication status transition/);
});
