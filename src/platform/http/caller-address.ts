/** Where a call comes from: the peer of the socket, or what a trusted proxy (TRUST_PROXY) says in X-Forwarded-For. */
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

/** What callers are counted by: IPv6 ones by their /64, which is what one customer gets. */
export function callerGroup(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed.kind() === 'ipv4' ? parsed.toString() : parsed.toByteArray().slice(0, 8).join('.');
}
