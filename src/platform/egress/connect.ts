/**
 * A guarded connection: resolve, check, connect to a checked address, check the socket, and then start TLS if
 * requested.
 */
import type net from 'node:net';
import type tls from 'node:tls';
import { dial, type OpenSocket } from './dial.ts';
import { EgressError, toEgressError } from '../addresses/egress-error.ts';
import { type Guard, notAllowed } from './guard.ts';
import { readHost } from '../addresses/host.ts';
import { secure } from './tls.ts';

export interface ConnectOptions {
  /** A name or an address, as a user wrote it. */
  host: string;
  port: number;
  /** Start TLS immediately after connecting. Certificates are always verified. */
  tls?: tls.ConnectionOptions | true;
  signal?: AbortSignal;
  /** For look-up, connecting and TLS together. Default 10 s. */
  timeoutMs?: number;
}

export type Connect = (options: ConnectOptions) => Promise<net.Socket>;

const DEFAULT_TIMEOUT_MS = 10_000;

/** Resolves with `work`, or rejects with the signal's reason, whichever comes first. */
async function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(signal.reason as Error);
  signal.addEventListener('abort', onAbort);
  try {
    if (signal.aborted) onAbort();
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

export function createConnect(
  guard: Guard,
  own: { openSocket: OpenSocket; tls: tls.ConnectionOptions; stopped: AbortSignal },
): Connect {
  return async ({ host: written, port, tls: tlsOptions, signal, timeoutMs = DEFAULT_TIMEOUT_MS }) => {
    const host = readHost(written);
    if (!Number.isInteger(port) || port < 1 || port > 65_535)
      throw new EgressError('invalid_url', 'The port must be from 1 to 65535.');
    const controller = new AbortController();
    const timer = setTimeout(() => {
      controller.abort(new EgressError('timeout', `No connection within ${timeoutMs} ms.`));
    }, timeoutMs);
    const onAbort = (): void => controller.abort(new EgressError('aborted', 'The call was aborted.'));
    for (const each of [signal, own.stopped]) {
      if (each?.aborted) onAbort();
      each?.addEventListener('abort', onAbort);
    }
    let socket: net.Socket | null = null;
    try {
      const addresses = await orAborted(guard.getAddresses(host, port), controller.signal);
      socket = await dial(addresses, port, controller.signal, own.openSocket);
      if (!guard.permits(host, port, socket.remoteAddress)) throw notAllowed(host, port);
      if (!tlsOptions) return socket;
      const options = { ...own.tls, ...(tlsOptions === true ? {} : tlsOptions) };
      return await secure(socket, host.name, options, controller.signal);
    } catch (error) {
      socket?.destroy();
      throw toEgressError(error);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      own.stopped.removeEventListener('abort', onAbort);
    }
  };
}
