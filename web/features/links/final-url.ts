/** Computes the final URL of a link, as the server does (src/surfaces/links/creation/link-route.ts). */

export const UTM_NAMES = ['source', 'medium', 'campaign', 'term', 'content'] as const;
export type UtmName = (typeof UTM_NAMES)[number];
export type Utm = Record<UtmName, string>;

const getName = (parameter: string): string => {
  const name = parameter.split('=', 1)[0]?.replaceAll('+', ' ') ?? '';
  try {
    return decodeURIComponent(name);
  } catch {
    return name; // not valid percent-encoding: kept as written
  }
};

function splitAt(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at)];
}

/** Sets query parameters and replaces those with the same name. The rest of the URL stays unchanged. */
function withParameters(url: string, set: readonly (readonly [name: string, value: string])[]): string {
  if (set.length === 0) return url;
  const names = new Set(set.map(([name]) => name));
  const [address, fragment] = splitAt(url, '#');
  const [path, query] = splitAt(address, '?');
  const kept = query
    .slice(1)
    .split('&')
    .filter((one) => one !== '' && !names.has(getName(one)));
  const added = set.map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return `${path}?${[...kept, ...added].join('&')}${fragment}`;
}

const isSendable = ({ protocol }: URL): boolean => !/^(javascript|data|vbscript|blob|file):$/.test(protocol);

/** Returns null if `url` isn't a valid destination. */
export function finalUrl(url: string, utm: Utm): string | null {
  const set = UTM_NAMES.map((name) => [`utm_${name}`, utm[name].trim()] as const).filter(
    ([, value]) => value !== '',
  );
  const whole = URL.parse(url.trim());
  if (whole === null || !isSendable(whole) || !set.every(([, value]) => value.isWellFormed())) return null;
  return URL.parse(withParameters(url.trim(), set))?.href ?? null;
}

/** Adds a query parameter of a visit, unless the URL has one with that name. */
export function withForwarded(final: string, [name, value]: readonly [name: string, value: string]): string {
  const [address] = splitAt(final, '#');
  const [, query] = splitAt(address, '?');
  const has = query
    .slice(1)
    .split('&')
    .some((one) => one !== '' && getName(one) === name);
  return has ? final : withParameters(final, [[name, value]]);
}
