/**
 * Who asks, and for which host: the peer and the Host header, or what a trusted proxy (TRUST_PROXY) says. The same
 * package and rules as the rest of the server goes by (Fastify's `request.ip`, `.host` and `.protocol`).
 */
import type { IncomingMessage } from 'node:http';
import { compile, default as proxyAddress } from '@fastify/proxy-addr';
import { callerAddress } from '../../../platform/http/caller-address.ts';

export interface Callers {
  /** As the header has it; '' where there is none. */
  hostOf(request: IncomingMessage): string;
  /** See `callerAddress`. */
  addressOf(request: IncomingMessage): string;
  /** What a trusted proxy says, else null. */
  schemeOf(request: IncomingMessage): 'http' | 'https' | null;
}

const lastOf = (value: string | string[]): string => {
  const text = Array.isArray(value) ? value.join(',') : value;
  return text.slice(text.lastIndexOf(',') + 1).trim();
};

export function createCallers(trusted: string[]): Callers {
  const peerOf = ({ socket }: IncomingMessage): string => callerAddress({ ip: socket.remoteAddress ?? '' });
  if (trusted.length === 0)
    return { hostOf: ({ headers }) => headers.host ?? '', addressOf: peerOf, schemeOf: () => null };
  const trust = compile(trusted);
  const isTrusted = ({ socket }: IncomingMessage): boolean =>
    socket.remoteAddress !== undefined && trust(socket.remoteAddress, 0);
  return {
    hostOf(request) {
      const forwarded = request.headers['x-forwarded-host'];
      return forwarded && isTrusted(request) ? lastOf(forwarded) : (request.headers.host ?? '');
    },
    addressOf: (request) =>
      request.socket.remoteAddress === undefined
        ? 'unknown'
        : callerAddress({ ip: proxyAddress(request, trust) }),
    schemeOf(request) {
      const forwarded = request.headers['x-forwarded-proto'];
      if (!forwarded || !isTrusted(request)) return null;
      return lastOf(forwarded) === 'https' ? 'https' : 'http';
    },
  };
}
