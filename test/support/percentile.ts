/**
 * The smallest value that at least `share` of all are not above: of a hundred, the 99th for 0.99.
 * @param share from 0 to 1
 * @returns NaN where there is none
 */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? NaN;
}
