/**
 * Histogram of the time to the first byte: buckets on a logarithmic scale, so that counts of days, keys and models can be
 * added. Bounds grow by half. A quantile is estimated as the geometric middle of its bucket, so it is at most 23 % off
 * (√1.5); below the first bound, at most 5 ms.
 */
const FIRST_BOUND_MS = 10;
const GROWTH = 1.5;
const BOUNDS = 24;

/** Upper bounds in milliseconds, ascending. The last one is 112 s; a further bucket counts slower calls. */
const UPPER_BOUNDS: readonly number[] = Array.from(
  { length: BOUNDS },
  (_, n) => FIRST_BOUND_MS * GROWTH ** n,
);

export const BUCKET_COUNT = BOUNDS + 1;
/** Columns of `model_call_stats`. */
export const BUCKET_COLUMNS: readonly string[] = Array.from(
  { length: BUCKET_COUNT },
  (_, n) => `first_byte_${n}`,
);

/** Returns the bucket of a time, from 0. */
export function getLatencyBucket(milliseconds: number): number {
  const bucket = UPPER_BOUNDS.findIndex((bound) => milliseconds < bound);
  return bucket === -1 ? BOUNDS : bucket;
}

function getMiddle(bucket: number): number {
  if (bucket === 0) return FIRST_BOUND_MS / 2;
  const lower = UPPER_BOUNDS[bucket - 1]!;
  return bucket === BOUNDS ? lower : lower * Math.sqrt(GROWTH);
}

/**
 * Estimates a quantile in whole milliseconds.
 * @param counts per bucket
 * @param share from 0 to 1
 * @returns null if nothing was counted
 */
export function estimateQuantile(counts: readonly number[], share: number): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  const rank = Math.max(1, Math.ceil(total * share));
  let seen = 0;
  const bucket = counts.findIndex((count) => (seen += count) >= rank);
  return Math.round(getMiddle(bucket));
}
