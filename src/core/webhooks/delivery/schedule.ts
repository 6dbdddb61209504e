/** When a delivery is tried again. */

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Waits after each failed attempt, in ms; after the last of them there is no other. */
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
const MAX_ASKED = 24 * HOUR;

/**
 * The wait that an answer's `Retry-After` asks for, in ms: seconds or an HTTP date (RFC 9110, section 10.2.3), at most
 * 24 h. Null where there is none that makes sense.
 */
export function parseRetryAfter(retryAfter: string | undefined, now: number): number | null {
  const text = retryAfter?.trim() ?? '';
  const wait = /^\d{1,9}$/.test(text)
    ? Number(text) * SECOND
    : /^[A-Z][a-z]{2}[,a-z]/.test(text)
      ? Date.parse(text) - now
      : Number.NaN;
  return Number.isFinite(wait) ? Math.min(Math.max(0, wait), MAX_ASKED) : null;
}

/**
 * @param step attempts made before this one in the present run of the schedule
 * @param asked ms that the receiver asked to be left alone for, or null
 * @param random from 0 to 1
 * @returns ms until the next attempt; null when there is none
 */
export function nextWait(step: number, asked: number | null, random: number): number | null {
  const wait = WAITS[step];
  if (wait === undefined) return null;
  return Math.round(Math.max(wait * (1 + SPREAD * (2 * random - 1)), asked ?? 0));
}
