/** Addresses as typed or pasted: one per line. */

/** The most that the API checks in one request. */
export const MAX_ADDRESSES = 100;

/** Returns the addresses without blank lines and repetitions. */
export const getAddresses = (text: string): string[] => [
  ...new Set(
    text
      .split(/[\n,;]/)
      .map((line) => line.trim())
      .filter(Boolean),
  ),
];

export interface CheckedAddress {
  address: string;
  /** As the channel writes it; null if it is no valid address. */
  normalised: string | null;
  /** Null if the channel can't tell. */
  exists: boolean | null;
}

/** Returns the results of a job that checked addresses; null if the instance had no connection. */
export function getChecked(result: Record<string, unknown> | null): CheckedAddress[] | null {
  const results = result?.['results'];
  return Array.isArray(results) ? (results as CheckedAddress[]) : null;
}
