/**
 * Computes the results of destinations. Pure. A destination is retried up to three times if the channel certainly did
 * not receive the message.
 */
import { toUuid } from '../../../../core/vocabulary/ids.ts';
import { scheduledDelay } from '../../../../platform/time/retry.ts';
import { Problem } from '../../../../platform/http/problem.ts';
import type { AcceptedMessage, MessageBody, MessageState, OutgoingMessage } from '../../ports/ports.ts';
import {
  followed,
  moveTo,
  type PublicationStatus,
  type ResultStatus,
  deriveStatus,
} from '../records/publication-state.ts';
import type { RenderingError, PublicationColumns, ResultRow } from '../records/publication.store.ts';

/** Delays between attempts: 1 min, 10 min, 1 h. */
const RETRY_DELAYS_MS = [60_000, 600_000, 3_600_000];
const SPREAD = 0.2;
/** Error codes that may be transient. */
const TRANSIENT = new Set([
  'instance_disconnected',
  'quota_exceeded',
  'rate_limited',
  'unavailable',
  'storage_full',
]);
/** The channel may have received the message: a retry could send it twice. */
const DELIVERY_UNKNOWN = 'delivery_unknown';

type Error_ = NonNullable<MessageState['error']>;

/**
 * Returns when a failed destination is retried; null for never.
 * @param random returns a number in [0, 1)
 */
export function nextTry(
  { code, retryable }: Error_,
  attempts: number,
  now: Date,
  random = Math.random,
): Date | null {
  const wait = scheduledDelay(attempts, RETRY_DELAYS_MS, SPREAD, random());
  return !retryable || code === DELIVERY_UNKNOWN || wait === null ? null : new Date(now.getTime() + wait);
}

type Outcome = Pick<
  ResultRow,
  | 'status'
  | 'message_id'
  | 'error_code'
  | 'error_detail'
  | 'error_retryable'
  | 'next_attempt_at'
  | 'updated_at'
>;

const failed = (messageId: string | null, error: Error_, attempts: number, now: Date): Outcome => ({
  status: 'failed',
  message_id: messageId,
  error_code: error.code,
  error_detail: error.detail,
  error_retryable: error.retryable,
  next_attempt_at: nextTry(error, attempts, now),
  updated_at: now,
});

const going = (messageId: string | null, status: ResultStatus, now: Date): Outcome => ({
  status,
  message_id: messageId,
  error_code: null,
  error_detail: null,
  error_retryable: null,
  next_attempt_at: null,
  updated_at: now,
});

const getRecipient = (body: MessageBody): string =>
  ['to', 'contact_id', 'chat_id', 'group_id']
    .map((name) => body[name])
    .find((one) => typeof one === 'string') ?? '';

/** Creates the result of a destination before its first attempt. */
export function newResult(
  { workspace_id, id: publication_id }: Pick<PublicationColumns, 'workspace_id' | 'id'>,
  position: number,
  made: { body: MessageBody } | { fault: RenderingError },
  now: Date,
): ResultRow {
  const shown =
    'body' in made
      ? {
          instance: made.body['instance_id'],
          recipient: getRecipient(made.body),
          type: String(made.body['type']),
        }
      : { instance: made.fault.instance_id, recipient: made.fault.to, type: made.fault.type };
  const row: ResultRow = {
    workspace_id,
    publication_id,
    position,
    instance_id: toUuid('instance', String(shown.instance))!,
    recipient: shown.recipient,
    type: shown.type,
    attempts: 0,
    earlier_message_ids: null,
    ...going(null, 'pending', now),
  };
  if ('body' in made) return row;
  const { code, detail } = made.fault;
  return { ...row, ...failed(null, { code, detail, retryable: false }, 0, now) };
}

/**
 * Returns the result after another attempt.
 * @param split how its text could be split
 */
export function tried(
  result: ResultRow,
  outcome: AcceptedMessage | Problem,
  now: Date,
  split: OutgoingMessage['split'],
): ResultRow {
  const attempts = result.attempts + 1;
  if (!(outcome instanceof Problem)) {
    const id = toUuid('message', outcome.id);
    const { sent = 0, of = 0 } = split ?? {};
    // Parts that were sent before belong to the text as long as only the others were sent again.
    const kept =
      sent + outcome.earlier.length + 1 === of ? (result.earlier_message_ids ?? []).slice(0, sent) : [];
    const earlier = [...kept, ...outcome.earlier.map((one) => toUuid('message', one)!)];
    return {
      ...result,
      attempts,
      earlier_message_ids: earlier.length ? earlier : null,
      ...going(id, 'queued', now),
    };
  }
  const { code, message } = outcome;
  const error = { code, detail: message, retryable: TRANSIENT.has(code) };
  return { ...result, attempts, ...failed(result.message_id, error, attempts, now) };
}

const GONE: Error_ = {
  code: 'not_found',
  detail: 'The message was deleted before it was sent.',
  retryable: false,
};

/**
 * Returns the result after a change of its message.
 * @param state of the message; undefined if it was deleted
 * @returns null if nothing changes
 */
export function afterMessage(
  result: ResultRow,
  state: MessageState | undefined,
  now: Date,
): ResultRow | null {
  const { message_id: id, attempts } = result;
  if (!state) return result.status === 'queued' ? { ...result, ...failed(null, GONE, attempts, now) } : null;
  const to = followed(result.status, state.status);
  if (to === null) return null;
  if (to !== 'failed') return { ...result, ...going(id, to, now) };
  const { code, detail, retryable } = state.error ?? { code: 'failed', detail: '', retryable: false };
  // A message that the channel accepted and then failed may have reached the recipient.
  return {
    ...result,
    ...failed(id, { code, detail, retryable: retryable && !state.wasSent }, attempts, now),
  };
}

/** Returns the failed result of a destination that could not be attempted because of an internal error. */
export const toAbandoned = (result: ResultRow, now: Date): ResultRow => ({
  ...result,
  ...failed(
    result.message_id,
    {
      code: 'internal_error',
      detail: 'The message could not be published because of an internal error.',
      retryable: false,
    },
    result.attempts,
    now,
  ),
});

/** Returns when the next retry of any destination is due; null for none. */
export function nextAttemptAt(results: readonly ResultRow[]): Date | null {
  const times = results.map(({ next_attempt_at: at }) => at).filter((at) => at !== null);
  return times.length ? new Date(Math.min(...times.map((at) => at.getTime()))) : null;
}

/**
 * Returns the publication with the status derived from its results.
 * @param results all results
 */
export function afterResults(
  publication: PublicationColumns,
  results: readonly ResultRow[],
  now: Date,
): PublicationColumns {
  const to: PublicationStatus = moveTo(publication.status, deriveStatus(results));
  const isOver = to !== 'publishing' && nextAttemptAt(results) === null;
  const isSame = to === publication.status && isOver === (publication.finished_at !== null);
  return {
    ...publication,
    status: to,
    finished_at: isOver ? (isSame ? publication.finished_at : now) : null,
    updated_at: now,
  };
}
