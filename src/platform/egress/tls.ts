/** TLS over a socket that the guard opened. The certificate is always verified against the name that was asked for. */
import net from 'node:net';
import tls from 'node:tls';
import { tlsError } from '../addresses/egress-error.ts';

/**
 * @param name who the peer must prove to be; `options.servername` where a protocol says another (the domain of XMPP, not the
 *   host that its SRV record names)
 * @param options whatever it says, verification stays on
 * @throws EgressError tls_failed; the signal's reason
 */
export function secure(
  socket: net.Socket,
  name: string,
  options: tls.ConnectionOptions,
  signal: AbortSignal,
): Promise<tls.TLSSocket> {
  const { promise, resolve, reject } = Promise.withResolvers<tls.TLSSocket>();
  const remoteAddress = socket.remoteAddress ?? null;
  const expected = options.servername || name;
  const secured = tls.connect({
    ...options,
    socket,
    host: expected,
    // Server Name Indication carries names only; an address is verified by `host`.
    servername: net.isIP(expected) ? '' : expected,
    rejectUnauthorized: true,
    checkServerIdentity: tls.checkServerIdentity,
    pskCallback: undefined,
  });
  const end = (): void => {
    signal.removeEventListener('abort', onAbort);
    secured.off('close', onClose);
  };
  const fail = (error: Error): void => {
    end();
    secured.destroy();
    socket.destroy();
    reject(error);
  };
  const onAbort = (): void => fail(signal.reason as Error);
  const onClose = (): void => fail(tlsError({ code: 'ECONNRESET' }, remoteAddress));
  secured.on('error', (error) => fail(tlsError(error, remoteAddress))); // stays, as in dial.ts
  secured.once('close', onClose);
  secured.once('secureConnect', () => {
    end();
    resolve(secured);
  });
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort);
  return promise;
}
