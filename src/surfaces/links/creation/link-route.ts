/** Builds the route (redirect/route.ts) that redirects are served from. */
import type { LinkValues, Utm } from '../records/link-values.ts';
import type { Route } from '../redirect/route.ts';
import { UTM_NAMES } from '../records/link-fields.schema.ts';

const getName = (parameter: string): string => {
  const name = parameter.split('=', 1)[0]!.replaceAll('+', ' ');
  try {
    return decodeURIComponent(name);
  } catch {
    return name; // not percent-encoded: literal text
  }
};

/** Sets UTM parameters, replacing those of the same name. The rest of the URL is kept verbatim. */
export function withUtm(url: string, utm: Partial<Utm>): string {
  const set = UTM_NAMES.flatMap((name) => (utm[name] == null ? [] : [[`utm_${name}`, utm[name]] as const]));
  if (!set.length) return url;
  const names = new Set<string>(set.map(([name]) => name));
  const [address, fragment] = splitAt(url, '#');
  const [path, query] = splitAt(address, '?');
  const otherParameters = query
    .slice(1)
    .split('&')
    .filter((one) => one !== '' && !names.has(getName(one)));
  const added = set.map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return `${path}?${[...otherParameters, ...added].join('&')}${fragment}`;
}

function splitAt(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at)];
}

/** Converts a URL to the ASCII form that a `Location` header requires. */
const toHeaderUrl = (url: string): string => new URL(url).href;

export function buildRoute(values: LinkValues): Route {
  const final = (url: string): string => toHeaderUrl(withUtm(url, values.utm));
  const { title, description, image } = values;
  return {
    url: final(values.url),
    status: values.redirect_status,
    archived: values.archived_at !== null,
    expiresAt: values.expires_at?.getTime() ?? null,
    expiredUrl: values.expired_url === null ? null : toHeaderUrl(values.expired_url),
    maxClicks: values.max_clicks,
    passwordHash: values.password_hash,
    targeting: values.targeting.map(({ when, url }) => ({ when, url: final(url) })),
    forwardQuery: values.forward_query,
    card:
      title === null && description === null && image === null
        ? null
        : { title, description, image: image === null ? null : toHeaderUrl(image) },
  };
}
