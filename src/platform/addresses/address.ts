/**
 * Defines the IP addresses that users may make this server connect to: only those of the public internet. All special
 * ones (loopback, private, link-local, CGNAT, multicast, metadata, documentation, translation and tunnel prefixes) are
 * rejected. Invariant: an address that is not known to be public is not public.
 */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

export type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** IANA has assigned unicast addresses only from this prefix; ::/96, local NAT64 and future assignments are outside. */
const GLOBAL_UNICAST: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3];

/**
 * Reads an address in its canonical spelling, as resolvers, sockets and WHATWG URLs write it; an IPv4-mapped one is given as
 * the IPv4 address. Null for everything else: names, decimal or octal spellings, addresses with a zone.
 */
export function readAddress(text: string): Address | null {
  if (isIP(text) === 0 || text.includes('%')) return null;
  return ipaddr.process(text);
}

/**
 * Azure's wire server, which gives a virtual machine its secrets. The address has no other use, and does not respond
 * elsewhere; all other clouds use special addresses.
 */
const WIRE_SERVER = '168.63.129.16';

/** ISATAP (RFC 5214) puts an IPv4 address behind 0000:5efe or 0200:5efe, under any prefix. */
function isatapAddress({ parts }: ipaddr.IPv6): ipaddr.IPv4 | null {
  const [high = 0, low = 0] = parts.slice(6);
  const marked = (parts[4]! & ~0x200) === 0 && parts[5] === 0x5efe;
  return marked ? new ipaddr.IPv4([high >> 8, high & 255, low >> 8, low & 255]) : null;
}

/** Whether the address is one of the public internet. */
export function isPublicAddress(address: Address): boolean {
  if (address.range() !== 'unicast') return false;
  if (address instanceof ipaddr.IPv4) return address.toString() !== WIRE_SERVER;
  if (!address.match(GLOBAL_UNICAST)) return false;
  const inner = isatapAddress(address);
  return inner === null || isPublicAddress(inner);
}
