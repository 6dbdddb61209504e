/** When a connection that failed is tried again. */
import { backoff } from '../../../platform/time/retry.ts';

const FIRST_MS = 1_000;
const MAX_MS = 5 * 60_000;
/** Of nothing but failures; then somebody must look. */
export const GIVE_UP_AFTER_MS = 24 * 3600 * 1000;
/** A connection that lasted so long begins anew when it is lost; one that drops sooner waits longer each time. */
export const STABLE_MS = 60_000;

/** Waits up to this are right however short it has failed. */
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
