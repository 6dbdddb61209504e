/**
 * Normalizes hosts of link domains to the form that is stored and compared: lower case, ASCII (punycode), no trailing
 * dot. The WHATWG URL parser interprets names, so that all spellings of a host are recognized as the same.
 */
import { isIPv4 } from 'node:net';

type ReadHost =
  | { host: string }
  /** `invalid_host`: malformed; `host_not_allowed`: well-formed but not allowed. */
  | { fault: { code: 'invalid_host' | 'host_not_allowed'; detail: string } };

/** Characters with a special meaning in URLs; a host has neither port nor path. */
const URL_CHARACTERS = /[\s/\\?#@:%[\]*]/;
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
/** Leaves space for the prefix of the TXT record's name. */
const MAX_LENGTH = 230;
/** Top-level domains of RFC 6761 and similar, which are not public: this machine, the local network, or reserved. */
const RESERVED_TLDS = new Set(['localhost', 'local', 'localdomain', 'invalid', 'onion', 'alt', 'arpa']);

const invalid = (detail: string): ReadHost => ({ fault: { code: 'invalid_host', detail } });
const notAllowed = (detail: string): ReadHost => ({ fault: { code: 'host_not_allowed', detail } });

/**
 * Reads a host.
 * @param input as sent by the caller
 * @param ownHost the hostname of BASE_URL
 */
export function readDomainHost(input: string, ownHost: string): ReadHost {
  const text = input.trim();
  if (URL_CHARACTERS.test(text) || !text.isWellFormed())
    return invalid('must be a hostname such as links.example.com, without scheme, port or path');
  const parsed = URL.parse(`http://${text}`);
  if (parsed === null) return invalid('must be a hostname such as links.example.com');
  const host = parsed.hostname.replace(/\.$/, '');
  if (isIPv4(host)) return notAllowed('must be a hostname: IP addresses cannot be verified');
  const labels = host.split('.');
  if (host.length > MAX_LENGTH) return invalid(`must be at most ${MAX_LENGTH} characters`);
  if (!labels.every((label) => LABEL.test(label)))
    return invalid('must consist of labels of 1 to 63 letters, digits and hyphens');
  if (RESERVED_TLDS.has(labels.at(-1)!))
    return notAllowed(`must not use .${labels.at(-1)}, which is not a public domain`);
  if (labels.length < 2) return notAllowed('must have at least two labels, such as example.com');
  if (host === ownHost) return notAllowed('is the host of this server, where short links already work');
  return { host };
}
