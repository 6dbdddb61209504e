/**
 * The decision: to which addresses of a host may this server connect? Of what a name resolves to, only the allowed addresses
 * are used, and the host is refused when none is left: one inner address among public ones is then never dialled, and does
 * not make the host unreachable either.
 */
import { isPublicAddress, readAddress } from '../addresses/address.ts';
import { allowLine, allowsAddress, allowsName, type EgressAllow } from '../addresses/allow.ts';
import { EgressError } from '../addresses/egress-error.ts';
import type { Host } from '../addresses/host.ts';
import type { Resolve } from './resolve.ts';

export interface Guard {
  /** The addresses that may be dialled, at least one. @throws EgressError address_not_allowed, dns_failed */
  getAddresses(host: Host, port: number): Promise<string[]>;
  /** Whether a socket to this host may be connected to that address. */
  permits(host: Host, port: number, address: string | undefined): boolean;
}

export function createGuard(allow: EgressAllow, resolve: Resolve): Guard {
  const permits: Guard['permits'] = (host, port, address) => {
    const read = readAddress(address ?? '');
    if (!read) return false;
    return isPublicAddress(read) || allowsAddress(allow, read, port) || allowsName(allow, host.name, port);
  };
  return {
    permits,
    async getAddresses(host, port) {
      const found = host.isLiteral
        ? [host.name]
        : await resolve(host.name, allowsName(allow, host.name, port));
      const allowed = found.filter((address) => permits(host, port, address));
      if (allowed.length > 0) return allowed;
      if (found.length === 0) throw new EgressError('dns_failed', 'The host name could not be resolved.');
      throw notAllowed(host, port);
    },
  };
}

/** The rejection, which tells the operator how to allow the host but hides the address behind a name. */
export function notAllowed(host: Host, port: number): EgressError {
  const what = host.isLiteral ? host.name : `What ${host.name} resolves to`;
  return new EgressError(
    'address_not_allowed',
    `${what} is not a public IP address. The operator of this server can allow it: ${allowLine(host.name, port)}`,
  );
}
