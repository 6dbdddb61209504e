/** Calculates when a failed connection is retried. */
import { backoff } from '../../../platform/time/retry.ts';

const FIRST_MS = 1_000;
const MAX_MS = 5 * 60_000;
/** Duration of continuous failures after which a user must act. */
export const GIVE_UP_AFTER_MS = 24 * 3600 * 1000;
/**
 * If a connection lasted this long, its delays start over when it is lost; if it drops sooner, each delay is longer.
 */
export const STABLE_MS = 60_000;

/** Delays up to this bound are allowed however short the outage is. */
const MIN_BOUND_MS = 10_000;

/**
 * Exponential backoff with full jitter, so that connections lost together return spread over time.
 * @param failures consecutive failures, including this one
 * @param failingForMs duration of the outage: short delays let failures add up quickly, and no delay exceeds the outage
 *   so far; null if it was up in between
 * @returns milliseconds
 */
export function backoffMs(
  failures: number,
  failingForMs: number | null = null,
  random: () => number = Math.random,
): number {
  const max = failingForMs === null ? MAX_MS : Math.min(MAX_MS, Math.max(MIN_BOUND_MS, failingForMs));
  return backoff(failures, { firstMs: FIRST_MS, maxMs: max, jitter: 1 }, random());
}
