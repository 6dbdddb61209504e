/**
 * Statuses of a publication and the transitions between them.
 *
 *   received ──▶ scheduled ──▶ publishing ──▶ published · partially_published · failed
 *      └─────────────┴──────────────▲ │                         │            │
 *                    │              └─┴── automatic retry, or late update ───┘
 *                    ▼                      of a message
 *                canceled
 *
 *   rejected · duplicate: immediate and final.
 *
 * A publication is `publishing` while any destination is pending or in progress. It leaves `partially_published` and
 * `failed` again when a destination is retried, or when a message reported as failed arrives after all.
 */
export const PUBLICATION_STATUSES = [
  'received',
  'scheduled',
  'publishing',
  'published',
  'partially_published',
  'failed',
  'rejected',
  'duplicate',
  'canceled',
] as const;
export type PublicationStatus = (typeof PUBLICATION_STATUSES)[number];

const NEXT: Record<PublicationStatus, readonly PublicationStatus[]> = {
  received: ['scheduled', 'publishing', 'published', 'partially_published', 'failed', 'canceled'],
  scheduled: ['publishing', 'published', 'partially_published', 'failed', 'canceled'],
  publishing: ['published', 'partially_published', 'failed', 'canceled'],
  published: ['partially_published', 'failed'],
  partially_published: ['publishing', 'published', 'failed'],
  failed: ['publishing', 'published', 'partially_published'],
  rejected: [],
  duplicate: [],
  canceled: [],
};

/**
 * Returns the new status; the only way to change the status of a publication.
 * @throws Error for an invalid transition
 */
export function moveTo(from: PublicationStatus, to: PublicationStatus): PublicationStatus {
  if (from !== to && !NEXT[from].includes(to))
    throw new Error(`invalid publication status transition: ${from} to ${to}`);
  return to;
}

/** Returns whether nothing has been sent yet, so that the publication can be canceled. */
export const isWaiting = (status: string): boolean => status === 'received' || status === 'scheduled';

/** Reasons for a cancellation. */
export const CANCEL_REASONS = ['user', 'filtered', 'endpoint_deleted', 'contact_erased'] as const;

/** Status of one destination: `pending` until a message is accepted, then the status of the message. */
export const RESULT_STATUSES = [
  'pending',
  'queued',
  'sent',
  'delivered',
  'read',
  'failed',
  'canceled',
] as const;
export type ResultStatus = (typeof RESULT_STATUSES)[number];

/** Forward only, except for retries and for late updates from the channel. */
const NEXT_RESULT: Record<ResultStatus, readonly ResultStatus[]> = {
  pending: ['queued', 'sent', 'delivered', 'read', 'failed', 'canceled'],
  queued: ['sent', 'delivered', 'read', 'failed', 'canceled'],
  sent: ['delivered', 'read', 'failed'],
  delivered: ['read'],
  read: [],
  failed: ['queued', 'sent', 'delivered', 'read'],
  canceled: [],
};

/** Result status by message status. */
const AS_RESULT: Record<string, ResultStatus> = {
  scheduled: 'queued',
  queued: 'queued',
  sending: 'queued',
  sent: 'sent',
  delivered: 'delivered',
  read: 'read',
  failed: 'failed',
  canceled: 'canceled',
};

/**
 * Returns the next status of a destination by the status of its message; null for no change. A failed message is never
 * queued again: a retry creates a new message.
 */
export function followed(from: ResultStatus, messageStatus: string): ResultStatus | null {
  const to = AS_RESULT[messageStatus];
  if (to === undefined || (from === 'failed' && to === 'queued')) return null;
  return NEXT_RESULT[from].includes(to) ? to : null;
}

/** Returns whether the status is final. */
export const isLast = (status: ResultStatus): boolean => status === 'read' || status === 'canceled';

const ARRIVED: readonly string[] = ['sent', 'delivered', 'read'];

/**
 * Returns the status of a publication by its results.
 * @param results at least one
 */
export function deriveStatus(results: readonly { status: string }[]): PublicationStatus {
  const arrived = results.filter(({ status }) => ARRIVED.includes(status)).length;
  const ended = results.filter(({ status }) => status === 'failed' || status === 'canceled').length;
  if (arrived + ended < results.length) return 'publishing';
  if (arrived === results.length) return 'published';
  return arrived > 0 ? 'partially_published' : 'failed';
}
