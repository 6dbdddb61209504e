/**
 * EGRESS_ALLOW: hosts and networks that the operator lets users reach besides the public internet. An entry is a host
 * name, which may then resolve to anything, or an address or network; `:port` limits it to that port.
 */
import type ipaddr from 'ipaddr.js';
import { type Address, readAddress } from './address.ts';
import { EgressError } from './egress-error.ts';
import { readHost } from './host.ts';

interface Limited {
  /** The only port that the entry opens; null for all. */
  port: number | null;
}

export type AllowEntry = Limited & ({ name: string } | { network: [Address, number] });
export type EgressAllow = readonly AllowEntry[];

/** Host, or address, or network, in brackets or not; then perhaps a port. More than one colon outside brackets is IPv6. */
const ENTRY = /^(?:\[([^\]]+)\](\/\d{1,3})?|([^[\]:]+)|([^[\]]*:[^[\]]*:[^[\]]*))(?::(\d{1,5}))?$/;
const NAME = /^(?=.{1,253}$)[a-z\d_]([a-z\d_-]{0,61}[a-z\d_])?(\.[a-z\d_]([a-z\d_-]{0,61}[a-z\d_])?)*$/;

function readNetwork(text: string): [Address, number] | null {
  const [address = '', prefix, ...rest] = text.split('/');
  const read = readAddress(address);
  if (!read || rest.length > 0) return null;
  const bits = read.kind() === 'ipv4' ? 32 : 128;
  const length = prefix === undefined ? bits : /^\d{1,3}$/.test(prefix) ? Number(prefix) : NaN;
  // A mapped network would be read as the IPv4 address alone, with another prefix than was meant.
  const mapped = read.kind() === 'ipv4' && address.includes(':');
  return length <= bits && !(mapped && prefix !== undefined) ? [read, length] : null;
}

/** Reads one entry; null where it can't be read. */
export function readAllowEntry(text: string): AllowEntry | null {
  const [, bracketed, prefix = '', plain, v6, portText] = ENTRY.exec(text) ?? [];
  const port = portText === undefined ? null : Number(portText);
  if (port !== null && (port < 1 || port > 65_535)) return null;
  if (bracketed !== undefined) {
    const network = bracketed.includes(':') ? readNetwork(bracketed + prefix) : null;
    return network && { network, port };
  }
  // Without brackets, the last group of an IPv6 address is indistinguishable from a port: treat all of it as the
  // address.
  if (v6 !== undefined || plain === undefined) {
    const network = readNetwork(text);
    return network && { network, port: null };
  }
  const network = readNetwork(plain);
  if (network) return { network, port };
  const name = nameIn(plain);
  // An address in another spelling (0x7f.1) must be written in the usual one.
  return name && NAME.test(name) ? { name, port } : null;
}

function nameIn(text: string): string | null {
  try {
    const { name, isLiteral } = readHost(text);
    return isLiteral ? null : name;
  } catch (error) {
    if (error instanceof EgressError) return null;
    throw error;
  }
}

const covers = (entry: Limited, port: number): boolean => entry.port === null || entry.port === port;

/** Whether the operator allows this host, regardless of its addresses. */
export function allowsName(allow: EgressAllow, name: string, port: number): boolean {
  return allow.some((entry) => 'name' in entry && entry.name === name && covers(entry, port));
}

/** Whether the operator named this address or a network that it lies in. */
export function allowsAddress(allow: EgressAllow, address: Address, port: number): boolean {
  return allow.some(
    (entry) =>
      'network' in entry &&
      covers(entry, port) &&
      entry.network[0].kind() === address.kind() &&
      (address as ipaddr.IPv4).match(entry.network),
  );
}

/** Returns the setting that would allow a rejected host. */
export function allowLine(name: string, port: number): string {
  return `EGRESS_ALLOW=${name.includes(':') ? `[${name}]` : name}:${port}`;
}
