/**
 * Hosts as users write them, brought to the one spelling that is checked and dialled. WHATWG's URL parser decides what a host
 * means (decimal, octal, hex and short IPv4, IDN, upper case), so that nothing is checked as a name and dialled as a number.
 */
import { isIPv6 } from 'node:net';
import { EgressError } from './egress-error.ts';

/** A host in canonical spelling: lower case, no brackets, no trailing dot. `address` is set where it is a literal. */
export interface Host {
  name: string;
  isLiteral: boolean;
}

export interface Target {
  origin: string;
  /** Path and query, without the fragment. */
  path: string;
}

/** Characters with a special meaning in URLs, which a host must not contain. */
const NOT_OF_A_HOST = /[\s/\\?#@:%[\]]/;

function hostOfUrl(hostname: string): Host {
  if (hostname.startsWith('[')) return { name: hostname.slice(1, -1), isLiteral: true };
  const name = hostname.endsWith('.') ? hostname.slice(0, -1) : hostname;
  return { name, isLiteral: /^\d+(\.\d+){3}$/.test(name) };
}

/**
 * @param host a name or an address, IPv6 with or without brackets
 * @throws EgressError invalid_url
 */
export function readHost(host: string): Host {
  const bare = host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host;
  const isV6 = isIPv6(bare) && !bare.includes('%');
  const url = `http://${isV6 ? `[${bare}]` : host}`;
  if ((isV6 || !NOT_OF_A_HOST.test(host)) && URL.canParse(url)) {
    const read = hostOfUrl(new URL(url).hostname);
    if (isV6 || read.name.split('.').every(Boolean)) return read;
  }
  throw new EgressError('invalid_url', 'The host is neither a host name nor an IP address.');
}

/** Returns why this server must not call a URL, or null. */
export function validateUrl(url: string): string | null {
  if (!URL.canParse(url)) return 'must be an absolute URL';
  const { protocol, username, password, port } = new URL(url);
  if (protocol !== 'http:' && protocol !== 'https:') return 'must be http or https';
  if (username || password) return 'must not hold a user name or a password';
  if (port === '0') return 'must not have port 0';
  return null;
}

/** Host and port that a URL without fault leads to. */
export function getEndpoint(url: string): { host: Host; port: number } {
  const { hostname, port, protocol } = new URL(url);
  return { host: readHost(hostname), port: port ? Number(port) : protocol === 'https:' ? 443 : 80 };
}

/** Enough for the receivers that are busy at one time; then the memory starts over. */
const MAX_TARGETS = 2000;
const targets = new Map<string, Target>();

/**
 * Origin and path of a URL, remembered, since a receiver is called again and again.
 * @throws EgressError invalid_url
 */
export function getTarget(url: string): Target {
  const known = targets.get(url);
  if (known) return known;
  const fault = validateUrl(url);
  if (fault) throw new EgressError('invalid_url', `The URL ${fault}.`);
  const { origin, pathname, search } = new URL(url);
  const target = { origin, path: pathname + search };
  if (targets.size >= MAX_TARGETS) targets.clear();
  targets.set(url, target);
  return target;
}
