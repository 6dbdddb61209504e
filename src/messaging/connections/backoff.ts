/** When a connection that failed is tried again. */

const FIRST_MS = 1_000;
const MOST_MS = 5 * 60_000;
/** Of nothing but failures; then somebody must look. */
export const GIVE_UP_AFTER_MS = 24 * 3600 * 1000;
/** A connection that lasted so long begins anew when it is lost; one that drops sooner waits longer each time. */
export const STABLE_MS = 60_000;

/**
 * Full jitter: anything up to a bound that doubles, so that what was lost at once comes back spread over time.
 * @param failures in a row, this one counted. @returns milliseconds
 */
export const backoffMs = (failures: number, random = Math.random): number =>
  Math.round(random() * Math.min(MOST_MS, FIRST_MS * 2 ** Math.min(failures - 1, 30)));
