/** CIDR matching for IPv4 and IPv6. An IPv4-mapped IPv6 address counts as the IPv4 address that it is. */
import ipaddr from 'ipaddr.js';

export type Cidr = [address: ipaddr.IPv4 | ipaddr.IPv6, bits: number];

/** A dotted part that some read as octal, also at the end of an IPv6 address. */
const OCTAL = /(?:^|\.)0\d|:0\d+\./;
const IPV4_DOTTED = /^\d{1,3}(\.\d{1,3}){3}$/;

/**
 * Parses `203.0.113.0/24`, `2001:db8::/32` or a single address; null if it is invalid (including short and octal
 * forms).
 */
export function parseCidr(text: string): Cidr | null {
  const [address = '', bits, ...more] = text.split('/');
  if (more.length || !(address.includes(':') || IPV4_DOTTED.test(address)) || address.includes('%'))
    return null;
  if (!ipaddr.isValid(address) || OCTAL.test(address)) return null;
  const parsed = ipaddr.parse(address);
  const max = parsed.kind() === 'ipv4' ? 32 : 128;
  if (bits !== undefined && !/^(0|[1-9]\d{0,2})$/.test(bits)) return null;
  const length = bits === undefined ? max : Number(bits);
  return length <= max ? unmapped(parsed, length) : null;
}

function unmapped(address: ipaddr.IPv4 | ipaddr.IPv6, bits: number): Cidr {
  if (address.kind() === 'ipv6' && (address as ipaddr.IPv6).isIPv4MappedAddress() && bits >= 96)
    return [(address as ipaddr.IPv6).toIPv4Address(), bits - 96];
  return [address, bits];
}

/** The canonical form: host bits cleared, IPv6 compressed. */
export function formatCidr([address, bits]: Cidr): string {
  const bytes = address
    .toByteArray()
    .map((byte, index) => byte & (0xff << Math.max(0, Math.min(8, 8 - (bits - index * 8)))) & 0xff);
  return `${ipaddr.fromByteArray(bytes).toString()}/${bits}`;
}

/** Whether an address of a socket is in one of the networks. */
export function inNetworks(address: string, networks: readonly Cidr[]): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  return networks.some(([network, bits]) => network.kind() === parsed.kind() && parsed.match(network, bits));
}

/** Whether every address of `inner` lies in one of `outer`. */
export function networkWithin(inner: Cidr, outer: readonly Cidr[]): boolean {
  return outer.some(
    ([network, bits]) =>
      network.kind() === inner[0].kind() && bits <= inner[1] && inner[0].match(network, bits),
  );
}
