/**
 * TCP to one of several checked addresses, tried as RFC 8305 ("happy eyeballs") says: families in turn, the next one 250 ms
 * after the last or as soon as it failed, the first that connects wins. A dead IPv6 way so costs a quarter of a second.
 * Only literals are dialled, never a name.
 */
import net from 'node:net';
import { toEgressError } from '../addresses/egress-error.ts';

export type OpenSocket = (address: string, port: number) => net.Socket;

const NEXT_AFTER_MS = 250;
/** A zone with a thousand addresses must not make this server knock at all of them. */
const MAX_ATTEMPTS = 6;

export const openSocket: OpenSocket = (host, port) =>
  net.connect({ host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: 30_000 });

/** v6, v4, v6, v4 … in the order that the resolver gave. */
export function interleave(addresses: string[]): string[] {
  const six = addresses.filter((address) => net.isIPv6(address));
  const four = addresses.filter((address) => !net.isIPv6(address));
  return Array.from({ length: Math.max(six.length, four.length) }, (_, n) => [six[n], four[n]])
    .flat()
    .filter((address) => address !== undefined);
}

/**
 * @param signal ends the attempt; its reason is thrown
 * @throws EgressError connection_refused, unreachable, timeout, … of the attempt that tells most
 */
export function dial(
  addresses: string[],
  port: number,
  signal: AbortSignal,
  open: OpenSocket,
): Promise<net.Socket> {
  const waiting = interleave(addresses).slice(0, MAX_ATTEMPTS);
  const trying = new Set<net.Socket>();
  const { promise, resolve, reject } = Promise.withResolvers<net.Socket>();
  let timer: NodeJS.Timeout | undefined;
  let reported: unknown = null;

  const end = (): void => {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
    waiting.length = 0;
    for (const socket of trying) socket.destroy();
    trying.clear();
  };
  const onAbort = (): void => {
    end();
    reject(signal.reason as Error);
  };
  const next = (): void => {
    clearTimeout(timer);
    const address = waiting.shift();
    if (address === undefined) {
      if (trying.size > 0) return;
      end();
      reject(toEgressError(reported));
      return;
    }
    const socket = open(address, port);
    trying.add(socket);
    socket.on('error', (error: NodeJS.ErrnoException) => {
      // Stays for the socket's life: an error between two owners must not end the process.
      if (!trying.delete(socket)) return;
      if (!reported || !/^(ENETUNREACH|EHOSTUNREACH|EADDRNOTAVAIL)$/.test(error.code ?? '')) reported = error;
      next();
    });
    socket.once('connect', () => {
      if (!trying.delete(socket)) return;
      end();
      resolve(socket);
    });
    if (waiting.length > 0) timer = setTimeout(next, NEXT_AFTER_MS);
  };

  if (signal.aborted) onAbort();
  else {
    signal.addEventListener('abort', onAbort);
    next();
  }
  return promise;
}
