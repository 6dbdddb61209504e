/**
 * Validates destination URLs. Malformed URLs are answered with 400, well-formed URLs that are not allowed with 422.
 * Hosts of this server are not allowed, because such a link would be a redirect loop.
 */
import { isIP } from 'node:net';
import type { FieldError } from '../../../platform/http/problem.ts';
import { MAX_URL } from '../records/link-fields.schema.ts';

/** Never allowed, regardless of LINK_SCHEMES: these run code or read the visitor's data. */
const NEVER = new Set(['javascript', 'data', 'vbscript', 'blob', 'file']);
// oxlint-disable-next-line no-control-regex -- matches the control characters that are not allowed
const FORBIDDEN = /[\s\u0000-\u001f\u007f-\u009f]/;

export interface UrlErrors {
  /** Malformed: 400. */
  shape: FieldError[];
  /** Well-formed but not allowed: 422. */
  rejected: FieldError[];
}

export interface UrlRules {
  /**
   * Checks one URL and adds errors to `errors`.
   * @param only `web`: only http and https, whatever LINK_SCHEMES says
   * @returns the host for the check against verified domains (lower case, ASCII, no trailing dot); null if the URL has
   * no host or is invalid
   */
  check(url: string, pointer: string, errors: UrlErrors, only?: 'web'): string | null;
}

const isWeb = (protocol: string): boolean => protocol === 'http:' || protocol === 'https:';

/** Normalizes a hostname for comparison. */
export const comparableHost = (hostname: string): string => hostname.toLowerCase().replace(/\.+$/, '');

/** Returns whether a host is the local machine. URL parsers have already normalized the spellings of IPv4. */
function isLoopback(host: string): boolean {
  if (host === 'localhost' || host.endsWith('.localhost')) return true;
  const bare = host.replace(/^\[|\]$/g, '');
  if (isIP(bare) === 4) return bare.startsWith('127.') || bare === '0.0.0.0';
  if (isIP(bare) !== 6) return false;
  return bare === '::1' || bare === '::' || /^::ffff:(7f[0-9a-f]{2}:[0-9a-f]{1,4}|0:0)$/.test(bare);
}

const defaultPort = (protocol: string): string =>
  protocol === 'https:' ? '443' : protocol === 'http:' ? '80' : '';
const getPort = ({ port, protocol }: URL): string => port || defaultPort(protocol);
const isDefaultPort = (port: string): boolean => port === '80' || port === '443';

export const linkLoop = (pointer: string): FieldError => ({
  pointer,
  code: 'link_loop',
  detail: 'points to a short link domain of this server, which would be a redirect loop',
});

export function createUrlRules({
  baseUrl,
  schemes,
}: {
  baseUrl: string;
  schemes: readonly string[];
}): UrlRules {
  const own = new URL(baseUrl);
  const ownHost = comparableHost(own.hostname);
  const ownPort = getPort(own);
  const ownIsLoopback = isLoopback(ownHost);
  const allowed = new Set(schemes.filter((scheme) => !NEVER.has(scheme)));

  const isOwn = (url: URL, host: string): boolean => {
    if (host !== ownHost && !(ownIsLoopback && isLoopback(host))) return false;
    const port = getPort(url);
    // A server on the default ports redirects from one to the other.
    return port === ownPort || (isDefaultPort(ownPort) && isDefaultPort(port));
  };

  return {
    check(text, pointer, { shape, rejected }, only) {
      const names = only === 'web' ? ['http', 'https'] : [...allowed];
      const malformed = (detail: string): null => {
        shape.push({ pointer, code: 'invalid_url', detail });
        return null;
      };
      const reject = (code: string, detail: string): null => {
        rejected.push({ pointer, code, detail });
        return null;
      };
      if (text.length > MAX_URL) return malformed(`must be at most ${MAX_URL} characters`);
      const url = FORBIDDEN.test(text) || !text.isWellFormed() ? null : URL.parse(text);
      if (url === null && /\s/.test(text.trim()))
        return malformed('must not contain spaces or line breaks; encode a space as %20');
      if (url === null && text !== text.trim()) return malformed('must not begin or end with a space');
      if (url === null) return malformed(`must be an absolute URL with ${names.join(' or ')}`);
      const scheme = url.protocol.slice(0, -1);
      if (only === 'web' ? !isWeb(url.protocol) : !allowed.has(scheme))
        return NEVER.has(scheme)
          ? reject('scheme_not_allowed', `must not use the scheme ${scheme}:`)
          : malformed(`must use ${names.join(' or ')}`);
      if (url.href.length > MAX_URL)
        return malformed(`must be at most ${MAX_URL} characters when percent-encoded`);
      if (isWeb(url.protocol) && url.hostname === '') return malformed('must have a host');
      if (url.username !== '' || url.password !== '')
        return reject(
          'credentials_in_url',
          'must not contain a user name or password: every visitor would see them',
        );
      const host = comparableHost(url.hostname);
      if (isOwn(url, host)) {
        rejected.push(linkLoop(pointer));
        return null;
      }
      return host === '' ? null : host;
    },
  };
}
