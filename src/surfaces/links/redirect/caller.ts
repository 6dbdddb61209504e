/**
 * Determines client address, host and scheme of a request: from the connection and the Host header, or as reported by a
 * trusted proxy (TRUST_PROXY). Uses the same package and rules as Fastify's `request.ip`, `.host` and `.protocol`.
 */
import type { IncomingMessage } from 'node:http';
import { compile, default as proxyAddress } from '@fastify/proxy-addr';
import { callerAddress } from '../../../platform/http/caller-address.ts';

export interface Callers {
  /** Returns the host as sent; '' if there is none. */
  getHost(request: IncomingMessage): string;
  /** See `callerAddress`. */
  getAddress(request: IncomingMessage): string;
  /** Returns the scheme reported by a trusted proxy, else null. */
  getScheme(request: IncomingMessage): 'http' | 'https' | null;
}

const getLast = (value: string | string[]): string => {
  const text = Array.isArray(value) ? value.join(',') : value;
  return text.slice(text.lastIndexOf(',') + 1).trim();
};

export function createCallers(trusted: string[]): Callers {
  const getPeer = ({ socket }: IncomingMessage): string => callerAddress({ ip: socket.remoteAddress ?? '' });
  if (trusted.length === 0)
    return { getHost: ({ headers }) => headers.host ?? '', getAddress: getPeer, getScheme: () => null };
  const trust = compile(trusted);
  const isTrusted = ({ socket }: IncomingMessage): boolean =>
    socket.remoteAddress !== undefined && trust(socket.remoteAddress, 0);
  return {
    getHost(request) {
      const forwarded = request.headers['x-forwarded-host'];
      return forwarded && isTrusted(request) ? getLast(forwarded) : (request.headers.host ?? '');
    },
    getAddress: (request) =>
      request.socket.remoteAddress === undefined
        ? 'unknown'
        : callerAddress({ ip: proxyAddress(request, trust) }),
    getScheme(request) {
      const forwarded = request.headers['x-forwarded-proto'];
      if (!forwarded || !isTrusted(request)) return null;
      return getLast(forwarded) === 'https' ? 'https' : 'http';
    },
  };
}
