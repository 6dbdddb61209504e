import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  DELIVERY_UNKNOWN,
  mayMove,
  MESSAGE_STATUSES,
  type MessageStatus,
  type StatusChange,
  statusChange,
} from './message-status.ts';

const FAULT = { code: 'recipient_unknown', detail: 'There is none.', retryable: false };
const UNKNOWN = { code: DELIVERY_UNKNOWN, detail: 'Nobody knows.', retryable: true };
const AT = new Date('2026-01-15T09:30:00.000Z');

type State = Pick<StatusChange, 'status' | 'status_history' | 'error_code' | 'failed_as'>;
const fresh = (status: MessageStatus): State => ({
  status,
  status_history: [{ status, at: AT.toISOString() }],
  error_code: null,
  failed_as: null,
});

/** Arbitrary statuses of a message, at any time, in any order, any number of times. */
const told = fc.array(
  fc.record({
    to: fc.constantFrom(...MESSAGE_STATUSES),
    error: fc.constantFrom(FAULT, UNKNOWN),
  }),
  { maxLength: 30 },
);

function apply(start: State, news: { to: MessageStatus; error: typeof FAULT }[]): State[] {
  const states = [start];
  for (const { to, error } of news) {
    const now = states.at(-1)!;
    if (mayMove(now, to)) states.push(statusChange(now, to, AT, to === 'failed' ? error : null));
  }
  return states;
}

const RANK: Partial<Record<MessageStatus, number>> = { sent: 1, delivered: 2, read: 3 };

describe('for any sequence of statuses', () => {
  test('an acknowledged message never becomes less acknowledged, except when a sent one bounces', () => {
    fc.assert(
      fc.property(fc.constantFrom(...MESSAGE_STATUSES), told, (first, news) => {
        const states = apply(fresh(first), news);
        for (const [index, state] of states.entries()) {
          const before = states[index - 1];
          const rank = before && RANK[before.status];
          if (!rank) continue;
          if (state.status === 'failed') expect(before.status).toBe('sent');
          else expect(RANK[state.status]).toBeGreaterThan(rank);
        }
      }),
    );
  });

  test('the history contains every status reached, in order, and only loops over sending', () => {
    fc.assert(
      fc.property(fc.constantFrom(...MESSAGE_STATUSES), told, (first, news) => {
        const states = apply(fresh(first), news);
        const history = states.at(-1)!.status_history.map(({ status }) => status);
        expect(history).toEqual(states.map(({ status }) => status));
        for (const status of MESSAGE_STATUSES)
          if (!['queued', 'sending', 'failed', 'sent'].includes(status))
            expect(history.filter((one) => one === status).length).toBeLessThanOrEqual(1);
      }),
    );
  });

  test('the index of failures has exactly what failed or was canceled, and an error stands only with failed', () => {
    fc.assert(
      fc.property(fc.constantFrom(...MESSAGE_STATUSES), told, (first, news) => {
        for (const { status, failed_as: failedAs, error_code: code } of apply(fresh(first), news).slice(1)) {
          expect(failedAs).toBe(status === 'failed' || status === 'canceled' ? status : null);
          expect(code !== null).toBe(status === 'failed');
        }
      }),
    );
  });

  test('receipts end at the greatest of them, however they are shuffled', () => {
    const receipts: MessageStatus[] = ['sent', 'delivered', 'read'];
    fc.assert(
      fc.property(
        fc.constantFrom<MessageStatus>('queued', 'sending'),
        fc.array(fc.constantFrom(...receipts), { minLength: 1, maxLength: 6 }),
        (first, news) => {
          const end = apply(
            fresh(first),
            news.map((to) => ({ to, error: FAULT })),
          ).at(-1)!;
          expect(end.status).toBe(receipts[Math.max(...news.map((status) => RANK[status]!)) - 1]);
        },
      ),
    );
  });
});

describe('single moves', () => {
  test.each<[MessageStatus, MessageStatus, boolean]>([
    ['scheduled', 'sending', false],
    ['scheduled', 'canceled', true],
    ['queued', 'canceled', true],
    ['sending', 'canceled', false],
    ['sending', 'queued', true],
    ['sent', 'queued', false],
    ['sent', 'failed', true],
    ['delivered', 'failed', false],
    ['canceled', 'queued', false],
    ['received', 'read', true],
    ['received', 'sent', false],
    ['read', 'delivered', false],
  ])('%s → %s: %s', (from, to, allowed) => {
    expect(mayMove({ status: from, error_code: null }, to)).toBe(allowed);
  });

  test('late knowledge wins over "unknown", over no other failure', () => {
    for (const to of ['sent', 'delivered', 'read'] as const) {
      expect(mayMove({ status: 'failed', error_code: DELIVERY_UNKNOWN }, to)).toBe(true);
      expect(mayMove({ status: 'failed', error_code: 'expired' }, to)).toBe(false);
    }
    expect(mayMove({ status: 'failed', error_code: DELIVERY_UNKNOWN }, 'queued')).toBe(false);
    const late = statusChange({ ...fresh('failed'), error_code: DELIVERY_UNKNOWN }, 'delivered', AT);
    expect(late).toMatchObject({ status: 'delivered', error_code: null, failed_as: null, delivered_at: AT });
  });

  test('a message that was delivered was accepted, even if the channel did not say so', () => {
    const later = new Date(AT.getTime() + 1_000);
    for (const to of ['delivered', 'read'] as const) {
      expect(statusChange({ ...fresh('sending'), sent_at: null }, to, later).sent_at).toEqual(later);
      expect(statusChange({ ...fresh('sent'), sent_at: AT }, to, later)).not.toHaveProperty('sent_at');
    }
  });

  test('an invalid transition throws, and so does an error with the wrong status', () => {
    expect(() => statusChange(fresh('read'), 'sent', AT)).toThrow('does not go from read to sent');
    expect(() => statusChange(fresh('sending'), 'failed', AT)).toThrow('error');
    expect(() => statusChange(fresh('sending'), 'sent', AT, FAULT)).toThrow('error');
  });
});
