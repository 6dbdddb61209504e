/**
 * XMPP addresses (JIDs): `ada@example.com`, and `room@rooms.example.com/nick` for occupants that are only known by
 * nick. Senders choose the contents of stanzas, so all addresses are parsed here before they are compared.
 */
import { domainToASCII, domainToUnicode } from 'node:url';
import { InvalidAddressError } from '../../contract/driver-error.ts';

/** Maximum bytes of each of the three parts (RFC 7622). */
const MAX_PART = 1023;
/** Maximum bytes of the whole address of an account or a person. No major server has longer ones. */
const LONGEST = 1024;
const LOCAL = /^[^\s"&'/:<>@\p{C}]+$/u;
const RESOURCE = /^(?:[^\p{C}\p{Zl}\p{Zp}]|[\u200c\u200d])+$/u;
const DOMAIN = /^(?=.{1,253}$)[a-z\d_]([a-z\d_-]*[a-z\d_])?(\.[a-z\d_]([a-z\d_-]*[a-z\d_])?)*$/;
const IPV6 = /^\[[\da-f:.]{2,45}\]$/;

export interface Jid {
  /** null for a server. */
  local: string | null;
  domain: string;
  resource: string | null;
}

/** Applies a normalization until the result no longer changes; null if it doesn't settle or is rejected. */
function settled(given: string, step: (text: string) => string): string | null {
  let text = step(given);
  for (let turn = 0; turn < 3; turn++) {
    const next = step(text);
    if (next === text) return text;
    text = next;
  }
  return null;
}

const prepareLocal = (local: string): string => local.normalize('NFKC').toLowerCase().normalize('NFKC');
const prepareResource = (resource: string): string => resource.replaceAll(/\p{Zs}/gu, ' ').normalize('NFC');
const prepareDomain = (domain: string): string => domainToUnicode(domainToASCII(domain)).toLowerCase();

const isLong = (part: string): boolean => Buffer.byteLength(part) > MAX_PART;

function readDomain(given: string): string | null {
  const bare = given.endsWith('.') ? given.slice(0, -1) : given;
  // domainToASCII parses like a URL, so text that isn't a domain name must not become one.
  if (bare === '' || bare.length > MAX_PART || /[\s/?#@\\%\p{C}]/u.test(bare)) return null;
  const domain = settled(bare, prepareDomain);
  if (domain === null || domain === '' || isLong(domain)) return null;
  const ascii = domainToASCII(domain);
  return DOMAIN.test(ascii) || IPV6.test(ascii) ? domain : null;
}

/** Parses a JID from a stanza; null if it is invalid. */
export function parseJid(given: string | null | undefined): Jid | null {
  if (!given || given.length > 3 * MAX_PART) return null;
  const slash = given.indexOf('/');
  const whole = slash === -1 ? given : given.slice(0, slash);
  const at = whole.indexOf('@');
  const local = at === -1 ? null : settled(whole.slice(0, at), prepareLocal);
  const domain = readDomain(whole.slice(at + 1));
  const resource = slash === -1 ? null : settled(given.slice(slash + 1), prepareResource);
  if (domain === null) return null;
  if (at !== -1 && (local === null || !LOCAL.test(local) || isLong(local))) return null;
  if (slash !== -1 && (resource === null || !RESOURCE.test(resource) || isLong(resource))) return null;
  return { local, domain, resource };
}

export const bareJid = ({ local, domain }: Pick<Jid, 'local' | 'domain'>): string =>
  local === null ? domain : `${local}@${domain}`;
const fullJid = (jid: Jid): string =>
  jid.resource === null ? bareJid(jid) : `${bareJid(jid)}/${jid.resource}`;

/** Returns the normalized address without its resource; null if it is not a JID. */
export function readBare(given: string | null | undefined): string | null {
  const jid = parseJid(given);
  return jid && bareJid(jid);
}

/** Returns the normalized address with its resource, if any; null if it is not a JID. */
export function readFull(given: string | null | undefined): string | null {
  const jid = parseJid(given);
  return jid && fullJid(jid);
}

/**
 * Normalizes an address as people and programs write it, with or without `xmpp:`. A resource is kept: it can mean a
 * room's occupant, which can't be seen from the address alone.
 * @throws InvalidAddressError
 */
export function normalizeJid(given: string): string {
  const jid = parseJid(given.trim().replace(/^xmpp:/i, ''));
  // A bare name is a valid domain in XMPP, but people who type one mostly forgot the rest.
  if (!jid || (jid.local === null && !/[.[]/.test(jid.domain)))
    throw new InvalidAddressError('must be one XMPP address, as ada@example.com');
  const address = fullJid(jid);
  if (Buffer.byteLength(address) > LONGEST)
    throw new InvalidAddressError(`must be at most ${LONGEST} bytes long`);
  return address;
}
