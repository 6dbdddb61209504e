/**
 * Reads query strings of visitors without decoding parts that are not needed: decoding invalid UTF-8 takes microseconds
 * each time, and a query can contain it thousands of times.
 */
import { UTM_PARAMETERS } from '../clicks/click-record.ts';

const NO_UTM: (string | null)[] = UTM_PARAMETERS.map(() => null);
/**
 * Enough for 100 characters in any encoding; longer values are truncated anyway (src/surfaces/links/clicks/scopes.ts).
 */
const MAX_UTM = 1_500;

const isUtm = (name: string): boolean => (UTM_PARAMETERS as readonly string[]).includes(name);

/** Returns the undecoded text before a pair's `=`. */
const rawName = (pair: string): string => {
  const end = pair.indexOf('=');
  return end < 0 ? pair : pair.slice(0, end);
};

/** Converts a name to its bytes, one character each. Comparing bytes distinguishes names as well as decoding them. */
const toByteString = (name: string): string =>
  /[%+]/.test(name)
    ? name
        .replaceAll('+', ' ')
        .replaceAll(/%([\da-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    : name;

/**
 * Returns the first value of each UTM parameter, in the order of UTM_PARAMETERS; null if missing or empty.
 * Percent-encoded names, which don't occur in practice, are ignored, and so is the end of very long values.
 * @param query without `?`
 */
export function parseUtm(query: string): (string | null)[] {
  if (!query.includes('utm_')) return NO_UTM;
  const pairs = new Map<string, string>();
  for (const pair of query.split('&')) {
    if (!pair.startsWith('utm_')) continue;
    const name = rawName(pair);
    if (isUtm(name) && !pairs.has(name)) pairs.set(name, pair);
  }
  return UTM_PARAMETERS.map((name) => {
    const pair = pairs.get(name)?.slice(0, MAX_UTM);
    return pair === undefined ? null : new URLSearchParams(pair).get(name) || null;
  });
}

/** Returns the query of a URL, without `?` and fragment. */
export function getQuery(url: string): string {
  const hash = url.indexOf('#');
  const bare = hash < 0 ? url : url.slice(0, hash);
  const queryStart = bare.indexOf('?');
  return queryStart < 0 ? '' : bare.slice(queryStart + 1);
}

/** Percent-encodes bytes that a request line may contain but a header must not. Node passes each as one character. */
const encodeUnsafe = (text: string): string =>
  text.replace(
    /[^\x21-\x7e]|["<>#]/g,
    (char) => `%${(char.charCodeAt(0) & 0xff).toString(16).toUpperCase().padStart(2, '0')}`,
  );

/**
 * Adds query parameters of a visit that the destination lacks. The destination's own parameters are kept verbatim.
 * @param query of the visit, without `?`
 */
export function withQuery(location: string, query: string): string {
  if (query === '') return location;
  const getNames = (text: string): string[] => text.split('&').map((pair) => toByteString(rawName(pair)));
  const own = new Set(getNames(getQuery(location)));
  const added = query.split('&').filter((pair) => {
    const name = rawName(pair);
    return name !== '' && !own.has(toByteString(name));
  });
  if (added.length === 0) return location;
  const hash = location.indexOf('#');
  const bare = hash < 0 ? location : location.slice(0, hash);
  const separator = !bare.includes('?') ? '?' : /[?&]$/.test(bare) ? '' : '&';
  return bare + separator + encodeUnsafe(added.join('&')) + (hash < 0 ? '' : location.slice(hash));
}
