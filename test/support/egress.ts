/** For tests of what calls out: receivers on loopback, a public internet made of them, a certificate. */
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import tls from 'node:tls';
import { onTestFinished } from 'vitest';
import { type AllowEntry, readAllowEntry } from '../../src/platform/addresses/allow.ts';
import { createEgress, type Egress, type EgressOptions } from '../../src/platform/egress/egress.ts';
import { EgressError } from '../../src/platform/addresses/egress-error.ts';

/** For receiver.test and 127.0.0.1, until 2120; nobody but a test that says so trusts it. */
export const CERTIFICATE = `
-----BEGIN CERTIFICATE-----
MIIBczCCARmgAwIBAgIBATAKBggqhkjOPQQDAjAYMRYwFAYDVQQDDA1yZWNlaXZl
ci50ZXN0MCAXDTIwMDEwMTAwMDAwMFoYDzIxMjAwMTAxMDAwMDAwWjAYMRYwFAYD
VQQDDA1yZWNlaXZlci50ZXN0MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEiYBX
tGE76pwvV4guKBIjYG/BXJ0JxMdrC27L88IpPAkYPX4mzc02z2ym7nBW7gwsrrTj
EPkIZ06xpUFwh1AZBaNSMFAwDwYDVR0TAQH/BAUwAwEB/zAeBgNVHREEFzAVgg1y
ZWNlaXZlci50ZXN0hwR/AAABMB0GA1UdDgQWBBSEXf9Rfhdxf9MLKtepRyLsx3cY
KTAKBggqhkjOPQQDAgNIADBFAiEA8Xes8rDqy+JCVLMjrS2S/5tSXIs/32l1iTf9
zy1r9SUCIGD8YgxbeuqmLVL17eyjFX/OJg4lM5kNPs43RI2SjTeo
-----END CERTIFICATE-----
`;

export const PRIVATE_KEY = `
-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgVEw/1gbOkLyTfO/Q
hOo55KaTCJaX1LIvWQQh2l7defKhRANCAASJgFe0YTvqnC9XiC4oEiNgb8FcnQnE
x2sLbsvzwik8CRg9fibNzTbPbKbucFbuDCyutOMQ+QhnTrGlQXCHUBkF
-----END PRIVATE KEY-----
`;

export function allowing(...entries: string[]): AllowEntry[] {
  return entries.map((entry) => readAllowEntry(entry)!);
}

/** An egress that is closed with the test. */
export function startEgress(options: Partial<EgressOptions> = {}): Egress {
  const egress = createEgress({ allow: [], ...options });
  onTestFinished(() => egress.close());
  return egress;
}

async function listen(server: net.Server): Promise<number> {
  const sockets = new Set<net.Socket>();
  server.on('connection', (socket: net.Socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** @returns port, and how many connections there were */
export async function startHttp(
  answer: http.RequestListener,
): Promise<{ port: number; connections(): number }> {
  const server = http.createServer(answer);
  let count = 0;
  server.on('connection', () => (count += 1));
  return { port: await listen(server), connections: () => count };
}

/** @returns its port */
export const startTcp = (serve: (socket: net.Socket) => void): Promise<number> =>
  listen(net.createServer(serve));

export function startTls(serve: (socket: net.Socket) => void): Promise<number> {
  const server = tls.createServer({ cert: CERTIFICATE, key: PRIVATE_KEY }, serve);
  server.on('tlsClientError', () => {});
  return listen(server);
}

/**
 * A public internet of which every address is this machine: what is dialled is written down, and the socket says that it is
 * connected to what was dialled, or to `claimed`.
 */
export function pretendInternet(claimed?: string): {
  dialled: string[];
  openSocket: EgressOptions['openSocket'];
} {
  const dialled: string[] = [];
  return {
    dialled,
    openSocket(address, port) {
      dialled.push(address);
      const socket = net.connect(port, '127.0.0.1');
      Object.defineProperty(socket, 'remoteAddress', { value: claimed ?? address });
      return socket;
    },
  };
}

/** The error that a call ends in. */
export async function toError(call: Promise<unknown>): Promise<EgressError> {
  const outcome = await call.then(
    () => new Error('it went through'),
    (error: unknown) => error,
  );
  if (outcome instanceof EgressError) return outcome;
  throw outcome;
}
