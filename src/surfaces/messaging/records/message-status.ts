/**
 * The status of a message, and the table of its transitions.
 *
 *     scheduled ──▶ queued ◀──▶ sending ──▶ sent ──▶ delivered ──▶ read      outbound
 *         │           │           │          │
 *         └───────────┴─────┬─────┘          └─▶ failed (bounce)
 *                           ▼
 *                   failed · canceled              received ──▶ read         inbound
 *
 * Statuses only move forward: receipts may arrive in any order and more than once, and one with less information than
 * the current status changes nothing. A status may be skipped (`queued` → `delivered`); skipped statuses are not added
 * to the history. Exceptions:
 * - `sending` → `queued`: the channel accepted nothing. Only the holder of the claim may do this.
 * - `sent` → `failed`: the message bounced.
 * - `failed` as `delivery_unknown` → `sent`, `delivered`, `read`: a late receipt wins.
 */
export const MESSAGE_STATUSES = [
  'scheduled',
  'queued',
  'sending',
  'sent',
  'delivered',
  'read',
  'failed',
  'canceled',
  'received',
] as const;
export type MessageStatus = (typeof MESSAGE_STATUSES)[number];

/** The error code if it is unknown whether the channel accepted the message. */
export const DELIVERY_UNKNOWN = 'delivery_unknown';

const MOVES: Record<MessageStatus, readonly MessageStatus[]> = {
  scheduled: ['queued', 'failed', 'canceled'],
  queued: ['sending', 'sent', 'delivered', 'read', 'failed', 'canceled'],
  sending: ['queued', 'sent', 'delivered', 'read', 'failed'],
  sent: ['delivered', 'read', 'failed'],
  delivered: ['read'],
  read: [],
  failed: [],
  canceled: [],
  received: ['read'],
};
const AFTER_UNKNOWN: readonly MessageStatus[] = ['sent', 'delivered', 'read'];

/** The state of a message that decides transitions of its status. */
export interface StatusState {
  status: string;
  error_code: string | null;
  sent_at?: Date | null;
}

/** Whether a message may move to a status; `false` if the status adds no information. */
export function mayMove({ status, error_code: errorCode }: StatusState, to: MessageStatus): boolean {
  if (status === 'failed' && errorCode === DELIVERY_UNKNOWN) return AFTER_UNKNOWN.includes(to);
  return MOVES[status as MessageStatus].includes(to);
}

/** Statuses in which it waits for its turn: it can still be changed in place, and canceled. */
export const isWaiting = (status: string): boolean => status === 'scheduled' || status === 'queued';

/** Statuses in which it is not known that the channel has it: only then may an attempt that failed say that it failed. */
export const isUnsent = (status: string): boolean => isWaiting(status) || status === 'sending';

/** Statuses in which the channel has, or had, the message. */
export const isWithChannel = (status: string): boolean =>
  status === 'sent' || status === 'delivered' || status === 'read' || status === 'received';

export interface StatusPricing {
  category: string;
  billable: boolean;
}

export interface StatusEntry {
  status: MessageStatus;
  at: string;
  /** The price that the channel reported with this status. */
  pricing?: StatusPricing;
}

/**
 * Returns the history with the pricing that a channel reported with a status; null if that status is not in the history,
 * or already has it.
 */
export function withPricing(
  history: readonly StatusEntry[],
  status: MessageStatus,
  pricing: StatusPricing,
): StatusEntry[] | null {
  const index = history.findLastIndex((entry) => entry.status === status);
  const entry = history[index];
  return entry && !entry.pricing ? history.with(index, { ...entry, pricing }) : null;
}

export interface MessageError {
  code: string;
  detail: string;
  retryable: boolean;
}

/** The columns that a move changes. */
export interface StatusChange {
  status: MessageStatus;
  status_history: StatusEntry[];
  failed_as: 'failed' | 'canceled' | null;
  error_code: string | null;
  error_detail: string | null;
  error_retryable: boolean | null;
  sent_at?: Date;
  delivered_at?: Date;
  read_at?: Date;
}

/**
 * Returns the columns of a message that moves to a status. Call it only if `mayMove` returns true.
 * @param at when it happened, from the source that knows best
 * @param error with `failed`, and only there
 * @throws Error for a transition that does not exist
 */
export function statusChange(
  message: StatusState & { status_history: unknown },
  to: MessageStatus,
  at: Date,
  error: MessageError | null = null,
): StatusChange {
  if (!mayMove(message, to)) throw new Error(`a message does not go from ${message.status} to ${to}`);
  if ((to === 'failed') !== (error !== null)) throw new Error('an error belongs to failed, and only there');
  // A channel that has delivered a message has accepted it, even if it did not report that.
  const isAccepted = to === 'sent' || ((to === 'delivered' || to === 'read') && message.sent_at === null);
  return {
    status: to,
    status_history: [...(message.status_history as StatusEntry[]), { status: to, at: at.toISOString() }],
    failed_as: to === 'failed' || to === 'canceled' ? to : null,
    error_code: error?.code ?? null,
    error_detail: error?.detail ?? null,
    error_retryable: error?.retryable ?? null,
    ...(isAccepted ? { sent_at: at } : {}),
    ...(to === 'delivered' ? { delivered_at: at } : {}),
    ...(to === 'read' ? { read_at: at } : {}),
  };
}
