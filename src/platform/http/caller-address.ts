/**
 * The origin of a call: the peer of the socket, or the address that a trusted proxy (TRUST_PROXY) gives in
 * X-Forwarded-For.
 */
import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';

const WITH_PORT = /^(?:(\d+\.\d+\.\d+\.\d+)|\[([\da-f:.]+)\]):\d{1,5}$/i;

/**
 * An IPv4 or IPv6 address, without the zone of a link-local one, and without the port that some proxies add;
 * `unknown` where the proxy wrote something else. An IPv4-mapped address is given as the IPv4 address.
 */
// oxlint-disable-next-line typescript/no-useless-default-assignment -- a socket that is gone has no address
export function callerAddress({ ip = '' }: Pick<FastifyRequest, 'ip'>): string {
  if (isIP(ip) && !ip.includes('%')) return ip.startsWith('::ffff:') && ip.includes('.') ? ip.slice(7) : ip;
  const [, ipv4, ipv6] = WITH_PORT.exec(ip) ?? [];
  const bare = ipv4 ?? ipv6 ?? ip.split('%', 1)[0]!;
  return isIP(bare) ? bare : 'unknown';
}

/** The widest part of an IPv6 address that one customer gets, and the part of one network, in bytes. */
const SITE_BYTES = 6;
const NETWORK_BYTES = 8;

/** Returns the key by which callers are counted: IPv6 callers by their /64, which is one network. */
export const callerGroup = (address: string): string => callerPath(address)[1];

/** The largest prefixes that a provider may assign to one customer, in bytes: /56 and /48. */
const WIDER_BYTES = [7, SITE_BYTES];

/**
 * The wider networks of an IPv6 address, narrowest first, of which one customer may have all addresses; none of an IPv4
 * address.
 */
export function callerNetworks(address: string): string[] {
  if (!ipaddr.isValid(address)) return [];
  const parsed = ipaddr.process(address);
  return parsed.kind() === 'ipv4'
    ? []
    : WIDER_BYTES.map((length) => parsed.toByteArray().slice(0, length).join('.'));
}

/**
 * What callers take turns by, for fair-gate.ts: IPv6 ones by their /48, of which a customer may hold all 65,536
 * networks, then by their /64; others twice by the address, so that all paths are equally long.
 */
export function callerPath(address: string): [site: string, group: string] {
  if (!ipaddr.isValid(address)) return [address, address];
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return [parsed.toString(), parsed.toString()];
  const bytes = parsed.toByteArray();
  return [bytes.slice(0, SITE_BYTES).join('.'), bytes.slice(0, NETWORK_BYTES).join('.')];
}
