/** When a connection that failed is tried again. */
import { backoff } from '../../../platform/queue/retry.ts';

const FIRST_MS = 1_000;
const MAX_MS = 5 * 60_000;
/** Of nothing but failures; then somebody must look. */
export const GIVE_UP_AFTER_MS = 24 * 3600 * 1000;
/** A connection that lasted so long begins anew when it is lost; one that drops sooner waits longer each time. */
export const STABLE_MS = 60_000;

/** Waits up to this are right however short it has failed. */
const MIN_BOUND_MS = 10_000;

/**
 * Full jitter: anything up to a bound that doubles, so that what was lost at once comes back spread over time.
 * @param failures in a row, this one counted. @param failingForMs how long it has not been up: short draws let failures
 *   add up fast, and nothing waits longer for the end of an outage than that has lasted; null where it was up in between
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
