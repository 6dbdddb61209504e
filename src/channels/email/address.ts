/**
 * Parses email addresses. The sender chooses the header contents, so addresses that could break out of a header or form
 * a list are rejected. Unusual addresses that other programs write are kept in full: parts before the @ that are longer
 * than 64 characters (RFC 5321 allows no more, but many services use them), quoted ones, and IP addresses instead of a
 * domain.
 */
import { createHash } from 'node:crypto';
import { isIPv4, isIPv6 } from 'node:net';
import { domainToASCII } from 'node:url';
import { InvalidAddressError } from '../contract/driver-error.ts';

/** Maximum length of a header line (RFC 5322, 2.1.1). */
const LONGEST = 998;
const LOCAL = /^[^\s"(),:;<>@[\\\]\p{C}]+$/u;
const QUOTED = /^"(?:[^"\\\p{C}]|\\[^\p{C}])*"$/u;
const CONTROL = /\p{C}/u;
const DOMAIN = /^(?=.{1,253}$)[a-z\d_]([a-z\d_-]*[a-z\d_])?(\.[a-z\d_]([a-z\d_-]*[a-z\d_])?)*$/;

/** A domain that can't exist. */
const UNKNOWN = '@unknown.invalid';

/**
 * Returns a placeholder address for a missing sender or an unusable reply address. Equal values of `what` give equal
 * addresses, different values different ones.
 */
export const unknownAddress = (what: string): string =>
  `unknown-${createHash('sha256').update(what).digest('hex').slice(0, 32)}${UNKNOWN}`;

export const isUnknown = (address: string): boolean => address.endsWith(UNKNOWN);

/**
 * Normalizes an address: lower case, the domain in ASCII, and quotes only where needed. Only the recipient's server
 * defines the part before the @, but no major provider distinguishes case, while people do type capitals.
 * @throws InvalidAddressError
 */
export function normalizeEmail(given: string): string {
  const address = given.trim();
  const at = address.lastIndexOf('@');
  const local = normalizeLocal(address.slice(0, Math.max(at, 0)));
  const domain = normalizeDomain(address.slice(at + 1));
  if (local === null || domain === null)
    throw new InvalidAddressError('must be a single email address, such as ada@example.com');
  const whole = `${local}@${domain}`;
  if (Buffer.byteLength(whole) > LONGEST)
    throw new InvalidAddressError(`must be at most ${LONGEST} characters long`);
  return whole;
}

function normalizeLocal(given: string): string | null {
  const text = given.normalize('NFC').toLowerCase().normalize('NFC');
  if (LOCAL.test(text)) return text;
  if (!QUOTED.test(text)) return null;
  const content = text.slice(1, -1).replaceAll(/\\(.)/gsu, '$1');
  return LOCAL.test(content) ? content : quote(content);
}

const quote = (content: string): string => `"${content.replaceAll(/["\\]/g, String.raw`\$&`)}"`;

function normalizeDomain(given: string): string | null {
  const literal = /^\[(ipv6:)?([\da-f.:]{2,45})\]$/i.exec(given);
  if (literal) {
    const [, tag, ip] = literal;
    if (tag === undefined) return isIPv4(ip!) ? given : null;
    return isIPv6(ip!) ? `[ipv6:${ip!.toLowerCase()}]` : null;
  }
  const domain = domainToASCII(given).toLowerCase();
  return DOMAIN.test(domain) ? domain : null;
}

/** Normalizes an address from a mail, whose parser has removed the quotes; null if it is invalid. */
export function readEmail(given: string | undefined): string | null {
  if (given === undefined) return null;
  const at = given.lastIndexOf('@');
  const local = given.slice(0, Math.max(at, 0)).trim();
  const isBare = normalizeLocal(local) === null && local !== '' && !CONTROL.test(local);
  try {
    return normalizeEmail(isBare ? quote(local) + given.slice(at) : given);
  } catch (error) {
    if (error instanceof InvalidAddressError) return null;
    throw error;
  }
}
