/** The statuses of a delivery as colours and words. */
import type { Delivery, DeliveryAttempt } from '../../api/types.ts';

type Status = Delivery['status'];

export const STATUS_TONES = {
  pending: 'warn',
  sending: 'live',
  succeeded: 'good',
  exhausted: 'bad',
  canceled: 'idle',
} as const;

export const STATUSES = Object.keys(STATUS_TONES) as Status[];

/** Waiting for its first attempt is no failure; waiting for another is. */
export function statusWord({ status, attempt_count: attempts }: Delivery): string {
  if (status === 'pending') return attempts > 0 ? 'will be retried' : 'waiting';
  return status;
}

const REASONS: Record<string, string> = {
  timeout: 'no answer in time',
  connection_refused: 'connection refused',
};

/** What came of an attempt, in a few words. */
export function outcomeOf({ response, error }: DeliveryAttempt): string {
  if (response) return String(response.status_code);
  return error ? (REASONS[error.code] ?? error.code.replaceAll('_', ' ')) : 'no answer';
}

export const isSuccess = ({ response }: DeliveryAttempt): boolean =>
  response !== null && response.status_code >= 200 && response.status_code < 300;

const number = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });

/** "84 ms", "1.2 s" */
export const duration = (ms: number): string => (ms < 1000 ? `${ms} ms` : `${number.format(ms / 1000)} s`);
