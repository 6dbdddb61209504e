/**
 * What a URL may be that visitors are sent to. Shape is answered with 400, what is refused by rule with 422; a link to
 * a host of this server would lead in a circle.
 */
import { isIP } from 'node:net';
import type { FieldError } from '../../platform/http/problem.ts';
import { MAX_URL } from './link-fields.schema.ts';

/** Whatever LINK_SCHEMES says: these run code, or read what is the visitor's. */
const NEVER = new Set(['javascript', 'data', 'vbscript', 'blob', 'file']);
// oxlint-disable-next-line no-control-regex -- they are what must not be there
const FORBIDDEN = /[\s\u0000-\u001f\u007f-\u009f]/;

export interface UrlErrors {
  /** Of shape: 400. */
  shape: FieldError[];
  /** Well formed, but refused: 422. */
  refused: FieldError[];
}

export interface UrlRules {
  /**
   * Looks at one URL; what is wrong with it goes to `faults`.
   * @param only `web`: http and https alone, whatever LINK_SCHEMES says
   * @returns its host, lower case in ASCII without a trailing dot, for the check against verified domains; null where
   * it has none, or is at fault
   */
  check(url: string, pointer: string, faults: UrlErrors, only?: 'web'): string | null;
}

const isWeb = (protocol: string): boolean => protocol === 'http:' || protocol === 'https:';

/** The form in which hosts are compared. */
export const comparableHost = (hostname: string): string => hostname.toLowerCase().replace(/\.+$/, '');

/** Whether a host is this machine, as URL parsers write it: they bring all spellings of IPv4 to one. */
function isLoopback(host: string): boolean {
  if (host === 'localhost' || host.endsWith('.localhost')) return true;
  const bare = host.replace(/^\[|\]$/g, '');
  if (isIP(bare) === 4) return bare.startsWith('127.') || bare === '0.0.0.0';
  if (isIP(bare) !== 6) return false;
  return bare === '::1' || bare === '::' || /^::ffff:(7f[0-9a-f]{2}:[0-9a-f]{1,4}|0:0)$/.test(bare);
}

const defaultPort = (protocol: string): string =>
  protocol === 'https:' ? '443' : protocol === 'http:' ? '80' : '';
const portOf = ({ port, protocol }: URL): string => port || defaultPort(protocol);
const isDefaultPort = (port: string): boolean => port === '80' || port === '443';

export const linkLoop = (pointer: string): FieldError => ({
  pointer,
  code: 'link_loop',
  detail: 'leads to a short link domain of this server, and so in a circle',
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
  const ownPort = portOf(own);
  const ownIsLoopback = isLoopback(ownHost);
  const allowed = new Set(schemes.filter((scheme) => !NEVER.has(scheme)));

  const isOwn = (url: URL, host: string): boolean => {
    if (host !== ownHost && !(ownIsLoopback && isLoopback(host))) return false;
    const port = portOf(url);
    // A server at the usual ports sends one on to the other.
    return port === ownPort || (isDefaultPort(ownPort) && isDefaultPort(port));
  };

  return {
    check(text, pointer, { shape, refused }, only) {
      const names = only === 'web' ? ['http', 'https'] : [...allowed];
      const wrong = (detail: string): null => {
        shape.push({ pointer, code: 'invalid_url', detail });
        return null;
      };
      const refuse = (code: string, detail: string): null => {
        refused.push({ pointer, code, detail });
        return null;
      };
      if (text.length > MAX_URL) return wrong(`must have at most ${MAX_URL} characters`);
      const url = FORBIDDEN.test(text) || !text.isWellFormed() ? null : URL.parse(text);
      if (url === null) return wrong(`must be a whole URL, with ${names.join(' or ')}`);
      const scheme = url.protocol.slice(0, -1);
      if (only === 'web' ? !isWeb(url.protocol) : !allowed.has(scheme))
        return NEVER.has(scheme)
          ? refuse('scheme_not_allowed', `${scheme}: is never allowed`)
          : wrong(`must be ${names.join(' or ')}`);
      if (url.href.length > MAX_URL)
        return wrong(`must have at most ${MAX_URL} characters once it is percent-encoded`);
      if (isWeb(url.protocol) && url.hostname === '') return wrong('must have a host');
      if (url.username !== '' || url.password !== '')
        return refuse(
          'credentials_in_url',
          'must hold no user name or password: every visitor would see them',
        );
      const host = comparableHost(url.hostname);
      if (isOwn(url, host)) {
        refused.push(linkLoop(pointer));
        return null;
      }
      return host === '' ? null : host;
    },
  };
}
