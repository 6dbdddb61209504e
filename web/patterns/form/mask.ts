/** Secrets in calls that are shown as cURL. */

/** Replaces a secret. */
export const MASK = '••••••••';

/** Masks the values of headers; null keeps the saved one. */
export const maskValues = (headers: Record<string, string | null>): Record<string, string | null> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value === null ? null : MASK]));
