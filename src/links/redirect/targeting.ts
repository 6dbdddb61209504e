/** Where a visit of a link goes: by its rules, and with the parameters that it brings. */
import { type Entry, queryOf, type Target } from './entry.ts';
import type { TargetingRule } from './route.ts';

/** What rules look at. */
export interface Circumstances {
  country: string | null;
  device: string | null;
  os: string | null;
  language: string | null;
}

const includes = (list: readonly string[] | undefined, value: string | null): boolean =>
  list === undefined || (value !== null && list.includes(value));

const fits = ({ when }: TargetingRule, of: Circumstances): boolean =>
  includes(when.country, of.country) &&
  includes(when.device, of.device) &&
  includes(when.os, of.os) &&
  includes(when.language, of.language);

/** The target of the first rule that fits, else the link's own. */
export function chooseTarget({ route, targeted, main }: Entry, of: Circumstances): Target {
  const nth = route.targeting.findIndex((rule) => fits(rule, of));
  return nth < 0 ? main : targeted[nth]!;
}

const nameOf = (pair: string): string | undefined => [...new URLSearchParams(pair)][0]?.[0];

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
  const own = new Set(new URLSearchParams(queryOf(location)).keys());
  const added = query.split('&').filter((pair) => {
    const name = nameOf(pair);
    return name !== undefined && name !== '' && !own.has(name);
  });
  if (added.length === 0) return location;
  const hash = location.indexOf('#');
  const bare = hash < 0 ? location : location.slice(0, hash);
  const joint = !bare.includes('?') ? '?' : /[?&]$/.test(bare) ? '' : '&';
  return bare + joint + plain(added.join('&')) + (hash < 0 ? '' : location.slice(hash));
}
