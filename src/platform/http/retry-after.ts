/** One reading of Retry-After for every answer of others. */
const DAY_MS = 86_400_000;
/** `Sun Nov  6 08:49:37 1994`, which is UTC without saying so. */
const ASCTIME = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}$/;
const DATE = /^[A-Z][a-z]{2}[,a-z]/;

/**
 * Parses `Retry-After`: seconds, or an HTTP date in any of its three forms (RFC 9110, 5.6.7 and 10.2.3).
 * @param now in ms
 * @returns ms, at most 24 h; null if it is missing or invalid
 */
export function parseRetryAfter(value: string | string[] | undefined, now: number): number | null {
  const text = (Array.isArray(value) ? value[0] : value)?.trim() ?? '';
  const wait = /^\d{1,9}$/.test(text) ? Number(text) * 1000 : parseDate(text) - now;
  return Number.isFinite(wait) ? Math.min(Math.max(0, wait), DAY_MS) : null;
}

const parseDate = (text: string): number => {
  if (ASCTIME.test(text)) return Date.parse(`${text} GMT`);
  return DATE.test(text) ? Date.parse(text) : Number.NaN;
};
