/** Converts failures of HTTP APIs to driver errors. */
import { parseRetryAfter } from '../../platform/http/retry-after.ts';
import { EgressError, toEgressError } from '../../platform/addresses/egress-error.ts';
import { DriverError } from '../contract/driver-error.ts';
import type { ApiAnswer } from './answer.ts';

/** Failures that remain until a user acts. */
const LASTING = new Set(['address_not_allowed', 'invalid_url', 'invalid_request']);
const MAX_DETAIL = 300;
/** A channel that asks for a longer wait is asked again after this. */
const MAX_RETRY_AFTER_MS = 24 * 3_600_000;

/** Returns text of a channel as one line of at most 300 characters; empty if there is none. */
export const toDetail = (text: unknown): string =>
  typeof text === 'string'
    ? text
        .slice(0, 10 * MAX_DETAIL)
        .replaceAll(/[\p{C}\s]+/gu, ' ')
        .trim()
        .slice(0, MAX_DETAIL)
    : '';

/**
 * @param title name of the channel
 * @param isUncertain whether the channel may have accepted the call
 */
export function toNetworkError(error: unknown, title: string, isUncertain: boolean): DriverError {
  if (error instanceof DriverError) return error;
  // Causes are dropped: those of undici can contain parts of the request.
  const { code, detail } = error instanceof EgressError ? error : toEgressError(error);
  if (LASTING.has(code)) return new DriverError('refused', code, `${title}: ${detail}`);
  if (isUncertain) return new DriverError('unknown', 'no_answer', `${title}: ${detail}`);
  return new DriverError('lost', code, `${title}: ${detail}`);
}

/** Returns Retry-After in milliseconds, at most a day; undefined if there is none. */
export const readRetryAfter = (headers: ApiAnswer['headers']): number | undefined =>
  parseRetryAfter(headers['retry-after'], Date.now()) ?? undefined;

/** Limits a wait that a channel asks for, in milliseconds. */
export const boundRetryAfter = (ms: number): number => Math.min(Math.max(ms, 0), MAX_RETRY_AFTER_MS);

/**
 * Classifies an answer by its status alone, for channels whose answers have no more details: 401 and 403 `refused`, 429
 * and 503 `busy`, other 5xx `unknown` unless the call is safe, the rest `rejected`.
 * @param detail the channel's error text
 */
export function classifyStatus(
  { status, headers }: Pick<ApiAnswer, 'status' | 'headers'>,
  { isSafe, title, detail = '' }: { isSafe: boolean; title: string; detail?: string },
): DriverError | null {
  if (status >= 200 && status < 300) return null;
  const text = `${title} responded with ${status}${detail === '' ? '.' : `: ${detail}`}`;
  if (status === 401 || status === 403) return new DriverError('refused', 'authentication_failed', text);
  if (status === 429 || status === 503)
    return new DriverError('busy', status === 429 ? 'rate_limited' : 'channel_unavailable', text, {
      retryAfterMs: readRetryAfter(headers),
    });
  if (status === 408 || status >= 500)
    return isSafe
      ? new DriverError('busy', 'channel_unavailable', text)
      : new DriverError('unknown', 'no_answer', text);
  if (status < 400) return new DriverError('rejected', 'unexpected_redirect', text);
  return new DriverError('rejected', 'rejected_by_channel', text);
}
