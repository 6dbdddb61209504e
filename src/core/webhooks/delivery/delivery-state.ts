/**
 * The states of a delivery.
 *
 *   pending ──claimed──▶ sending ──2xx──▶ succeeded
 *      ▲                    │ ├─ the schedule is at its end ─▶ exhausted
 *      └── not yet over ────┘ └─ no event any more ──────────▶ canceled ◀─ webhook disabled (410 too) or deleted
 *
 * A requested retry or a replay makes a completed delivery pending again. `sending` is not stored: it is pending and
 * claimed by a worker, so that a dead worker leaves no delivery in that state.
 */
export const DELIVERY_STATUSES = ['pending', 'sending', 'succeeded', 'exhausted', 'canceled'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

const NEXT: Record<DeliveryStatus, readonly DeliveryStatus[]> = {
  pending: ['sending', 'canceled'],
  sending: ['pending', 'succeeded', 'exhausted', 'canceled'],
  succeeded: ['pending'],
  exhausted: ['pending'],
  canceled: ['pending'],
};

export const mayFollow = (from: DeliveryStatus, to: DeliveryStatus): boolean => NEXT[from].includes(to);
