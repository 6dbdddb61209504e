/** When a delivery is retried. */
import { scheduledDelay } from '../../../platform/time/retry.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Delay after each failed attempt, in ms. There is no attempt after the last. */
export const WAITS: readonly number[] = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];
const SPREAD = 0.2;

/**
 * Returns the delay in ms until the next attempt; null if there is none.
 * @param step attempts before this one since the schedule began
 * @param asked the response's `Retry-After` in ms, or null
 * @param random from 0 to 1
 */
export function nextWait(step: number, asked: number | null, random: number): number | null {
  const wait = scheduledDelay(step + 1, WAITS, SPREAD, random);
  return wait === null ? null : Math.max(wait, asked ?? 0);
}
