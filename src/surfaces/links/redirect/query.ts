/**
 * Queries of visitors, read without decoding what nobody looks at: decoding broken UTF-8 takes microseconds each time,
 * and a query has room for thousands of them.
 */
import { UTM_PARAMETERS } from '../clicks/click-record.ts';

const NO_UTM: (string | null)[] = UTM_PARAMETERS.map(() => null);
/** Enough for a hundred characters, however they are encoded: no more of a value is kept (src/surfaces/links/clicks/scopes.ts). */
const MAX_UTM = 1_500;

const isUtm = (name: string): boolean => (UTM_PARAMETERS as readonly string[]).includes(name);

/** What stands before a pair's `=`, as it is written. */
const rawName = (pair: string): string => {
  const end = pair.indexOf('=');
  return end < 0 ? pair : pair.slice(0, end);
};

/** A name as its bytes, one character each: that tells two names apart as well as decoding them. */
const bytesOf = (name: string): string =>
  /[%+]/.test(name)
    ? name
        .replaceAll('+', ' ')
        .replaceAll(/%([\da-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    : name;

/**
 * The first value of each UTM parameter, in the order of UTM_PARAMETERS; null where it is not there or empty. Names in
 * percent-encoding, which nobody writes, are not read; nor is the end of a very long value.
 * @param query without its `?`
 */
export function utmOf(query: string): (string | null)[] {
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

/** The query of an address, without `?` and fragment. */
export function queryOf(url: string): string {
  const hash = url.indexOf('#');
  const bare = hash < 0 ? url : url.slice(0, hash);
  const mark = bare.indexOf('?');
  return mark < 0 ? '' : bare.slice(mark + 1);
}

/** Bytes that a request line may hold and a header of ours may not; Node gives each as one character. */
const plain = (text: string): string =>
  text.replace(
    /[^\x21-\x7e]|["<>#]/g,
    (char) => `%${(char.charCodeAt(0) & 0xff).toString(16).toUpperCase().padStart(2, '0')}`,
  );

/**
 * Adds the parameters of a visit that a target lacks; none of its own is touched, nor written in another way.
 * @param query of the visit, without `?`
 */
export function withQuery(location: string, query: string): string {
  if (query === '') return location;
  const namesOf = (text: string): string[] => text.split('&').map((pair) => bytesOf(rawName(pair)));
  const own = new Set(namesOf(queryOf(location)));
  const added = query.split('&').filter((pair) => {
    const name = rawName(pair);
    return name !== '' && !own.has(bytesOf(name));
  });
  if (added.length === 0) return location;
  const hash = location.indexOf('#');
  const bare = hash < 0 ? location : location.slice(0, hash);
  const joint = !bare.includes('?') ? '?' : /[?&]$/.test(bare) ? '' : '&';
  return bare + joint + plain(added.join('&')) + (hash < 0 ? '' : location.slice(hash));
}
