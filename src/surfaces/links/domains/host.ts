/**
 * Hosts of link domains, in the one spelling that is stored and compared: lower case, ASCII (punycode), without a
 * trailing dot. WHATWG's URL parser decides what a name means, so that an address in any spelling is seen as one.
 */
import { isIPv4 } from 'node:net';

type ReadHost =
  | { host: string }
  /** `invalid_host` is of shape, `host_not_allowed` of rule. */
  | { fault: { code: 'invalid_host' | 'host_not_allowed'; detail: string } };

/** What has a meaning of its own in a URL; a host has neither port nor path. */
const NOT_OF_A_HOST = /[\s/\\?#@:%[\]*]/;
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
/** So that the name of its TXT record still fits. */
const LONGEST = 230;
/** RFC 6761 and the like: names of no public zone, which mean this machine, this network, or nothing. */
const SPECIAL = new Set(['localhost', 'local', 'localdomain', 'invalid', 'onion', 'alt', 'arpa']);

const invalid = (detail: string): ReadHost => ({ fault: { code: 'invalid_host', detail } });
const refused = (detail: string): ReadHost => ({ fault: { code: 'host_not_allowed', detail } });

/**
 * @param given as a caller wrote it
 * @param ownHost the host name of BASE_URL
 */
export function readDomainHost(given: string, ownHost: string): ReadHost {
  const text = given.trim();
  if (NOT_OF_A_HOST.test(text) || !text.isWellFormed())
    return invalid('must be a host name alone, as links.example.com: no scheme, port or path');
  const parsed = URL.parse(`http://${text}`);
  if (parsed === null) return invalid('must be a host name, as links.example.com');
  const host = parsed.hostname.replace(/\.$/, '');
  if (isIPv4(host)) return refused('must be a name: addresses cannot be verified');
  const labels = host.split('.');
  if (host.length > LONGEST) return invalid(`must have at most ${LONGEST} characters`);
  if (!labels.every((label) => LABEL.test(label)))
    return invalid('may have letters, digits and hyphens, in parts of 1 to 63 characters');
  if (SPECIAL.has(labels.at(-1)!)) return refused(`.${labels.at(-1)} is not a public zone`);
  if (labels.length < 2) return refused('must have two parts or more, as example.com');
  if (host === ownHost)
    return refused('is the host of this server itself: its short links are there without being added');
  return { host };
}
