/**
 * The outcome of an operation on a connection, and its consequences. Does not touch the database.
 *
 * | the channel | then |
 * | --- | --- |
 * | accepted it | `sent`, or `done` for anything but messages |
 * | rejected it permanently (`rejected`) | `failed`; the next row of the chat follows |
 * | rejected it temporarily (`busy`), or is gone (`lost`, `refused`, `restricted`) | `again`, before the rest of the chat |
 * | did not respond (`unknown`, timeout, crash) | by the driver's `resend`: `again` if that can't duplicate, else `failed` with `delivery_unknown` |
 */
import { storableText } from '../../../platform/db/storable-text.ts';
import { backoff } from '../../../platform/time/retry.ts';
import type { SendResult } from '../../../channels/contract/connection.ts';
import type { DriverError } from '../../../channels/contract/driver-error.ts';
import { DELIVERY_UNKNOWN, type MessageError } from '../records/message-status.ts';
import type { Claimed } from './claim.system-store.ts';

export interface Again {
  kind: 'again';
  dueMs: number;
  /** Whether the channel may have accepted it. */
  uncertain: boolean;
  /** Whether it was passed to the channel. */
  counted: boolean;
  error: { code: string; detail: string } | null;
}

export type Outcome =
  | { kind: 'sent'; result: SendResult }
  | { kind: 'done'; result: unknown }
  | { kind: 'failed'; error: MessageError }
  | Again
  /** It must not be executed any more: the message was revoked, or is known to be sent. */
  | { kind: 'gone' };

export interface Done {
  row: Claimed;
  outcome: Outcome;
  /** The account's address, if the connection knows it. */
  ownAddress: string | null;
}

const BACKOFF = { firstMs: 1_000, maxMs: 60_000, jitter: 0.5 };
const MAX_ASKED_MS = 24 * 3_600_000;
const MAX_DETAIL = 1_000;

/** Returns the delay in ms before the next attempt. @param attempts made so far */
export const getRetryDelay = (attempts: number): number => backoff(attempts, BACKOFF);

/** Returns a storable error text for any thrown value. */
export const toErrorText = ({
  code,
  message,
}: {
  code: unknown;
  message: unknown;
}): { code: string; detail: string } => ({
  code: storableText(String(code).slice(0, 100)),
  detail: storableText(String(message).slice(0, MAX_DETAIL)),
});

export const toUnknownDelivery = (
  detail = 'The connection ended, or the channel did not answer in time: it may have been sent, or not.',
): Outcome => ({ kind: 'failed', error: { code: DELIVERY_UNKNOWN, detail, retryable: true } });

/** Not attempted: unchanged and due immediately. */
export const release = (row: Claimed, dueMs = 0): Again => ({
  kind: 'again',
  dueMs,
  uncertain: row.uncertain,
  counted: false,
  error: null,
});

/** Converts an error after which the channel has accepted nothing to an outcome. */
export function toOutcome(row: Claimed, fault: DriverError, now: Date): Outcome {
  const error = toErrorText(fault);
  if (fault.kind === 'rejected') return { kind: 'failed', error: { ...error, retryable: false } };
  const until = fault.until === null ? 0 : fault.until.getTime() - now.getTime();
  const asked = Math.min(Math.max(fault.retryAfterMs ?? 0, until, 0), MAX_ASKED_MS);
  return {
    kind: 'again',
    dueMs: asked > 0 ? asked : getRetryDelay(row.attempts),
    uncertain: row.uncertain,
    counted: true,
    error,
  };
}

/** Removes the channel's error text, for a row that the database rejected. */
export function withoutErrorText<D extends Done>(done: D): D {
  const { outcome } = done;
  const words = { code: 'not_storable', detail: "The channel's response could not be stored." };
  switch (outcome.kind) {
    case 'sent':
      return { ...done, outcome: { ...outcome, result: { ...outcome.result, externalId: null } } };
    case 'failed':
      return { ...done, outcome: { ...outcome, error: { ...outcome.error, ...words } } };
    case 'again':
      return { ...done, outcome: { ...outcome, error: words } };
    case 'done':
      return { ...done, outcome: { ...outcome, result: null } };
    default:
      return done;
  }
}
