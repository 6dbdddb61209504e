/** Delays before retries. */

export interface Backoff {
  firstMs: number;
  maxMs: number;
  /** The part of the delay that is random, from 0 to 1, so that what failed together is not retried together. */
  jitter?: number;
}

/**
 * Returns the delay before the next attempt, in ms: `firstMs`, doubling to `maxMs`.
 * @param failures in a row, from 1
 * @param random from 0 to 1
 */
export function backoff(
  failures: number,
  { firstMs, maxMs, jitter = 0 }: Backoff,
  random = Math.random(),
): number {
  const longest = Math.min(firstMs * 2 ** Math.min(Math.max(failures, 1) - 1, 30), maxMs);
  return Math.round(longest * (1 - jitter + jitter * random));
}

/**
 * Returns the delay before the next attempt by a fixed schedule, in ms; null after its last.
 * @param failures from 1
 * @param spread the delay varies by this part in both directions
 * @param random from 0 to 1
 */
export function scheduledDelay(
  failures: number,
  delaysMs: readonly number[],
  spread = 0.2,
  random = Math.random(),
): number | null {
  const delay = delaysMs[failures - 1];
  return delay === undefined ? null : Math.round(delay * (1 + spread * (2 * random - 1)));
}
