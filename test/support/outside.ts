/**
 * A caller from outside: from an address of its own, by TLS, under the name and the host that it says. Every address of
 * 127.0.0.0/8 is this machine's on Linux, so the proxy's own is 127.0.0.1, and callers have others.
 */
import http2, { type ClientHttp2Session } from 'node:http2';
import http, { type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import https from 'node:https';
import { once } from 'node:events';
import { connect } from 'node:net';
import { checkServerIdentity, connect as connectTls } from 'node:tls';
import type { Proxy } from './proxies.ts';

export interface Call {
  /** Name in the TLS handshake. */
  name: string;
  /** Host header, where it is not the name. */
  host?: string;
  path: string;
  method?: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
  /** What follows the body, in bytes, is announced and not sent: the answer must come without it. */
  missing?: number;
  /** The caller's own address. */
  from?: string;
}

export interface Answered {
  status: number;
  headers: IncomingHttpHeaders;
  bytes: Buffer;
  text: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into any answer
  body: any;
}

/** Who calls, where a test doesn't say. */
export const CALLER = '127.0.0.2';

/** @returns the answer once its head is there; its body is to be read. @throws Error where the handshake fails */
export async function openCall(proxy: Proxy, call: Call): Promise<IncomingMessage> {
  const request = https.request({
    host: '127.0.0.1',
    port: proxy.httpsPort,
    servername: call.name,
    ca: proxy.ca,
    checkServerIdentity: (name, certificate) =>
      checkServerIdentity(proxy.certificateName ?? name, certificate),
    localAddress: call.from ?? CALLER,
    method: call.method ?? (call.body === undefined ? 'GET' : 'POST'),
    path: call.path,
    agent: false,
    timeout: 240_000,
    headers: {
      host: call.host ?? call.name,
      ...(call.body === undefined
        ? {}
        : { 'content-length': String(Buffer.byteLength(call.body) + (call.missing ?? 0)) }),
      ...call.headers,
    },
  });
  request.on('timeout', () => request.destroy(new Error(`no answer in time: ${call.path}`)));
  const response = new Promise<IncomingMessage>((resolve, reject) => {
    request.on('response', (answer) => {
      // Who was answered before all was sent may find the connection closed.
      request.on('error', () => undefined);
      resolve(answer);
    });
    request.on('error', reject);
  });
  if (call.missing === undefined) request.end(call.body);
  else request.write(call.body!);
  return response;
}

export async function callOutside(proxy: Proxy, call: Call): Promise<Answered> {
  const response = await openCall(proxy, call);
  const bytes = Buffer.concat((await response.toArray()) as Buffer[]);
  const text = bytes.toString();
  const isJson = /json/.test(response.headers['content-type'] ?? '') && !response.headers['content-encoding'];
  return {
    status: response.statusCode!,
    headers: response.headers,
    bytes,
    text,
    body: isJson && text ? JSON.parse(text) : text,
  };
}

/** HTTP/2, as browsers speak it. @throws Error where the proxy doesn't */
export async function openSession(proxy: Proxy, name: string, from = CALLER): Promise<ClientHttp2Session> {
  const socket = connectTls({
    socket: connect({ host: '127.0.0.1', port: proxy.httpsPort, localAddress: from }),
    servername: name,
    ca: proxy.ca,
    checkServerIdentity: (asked, certificate) =>
      checkServerIdentity(proxy.certificateName ?? asked, certificate),
    ALPNProtocols: ['h2'],
  });
  await once(socket, 'secureConnect');
  if (socket.alpnProtocol !== 'h2') throw new Error('the proxy speaks no HTTP/2');
  return http2.connect(`https://${name}`, { createConnection: () => socket });
}

/** By HTTP, without TLS. */
export async function callPlain(
  port: number,
  {
    host,
    path,
    headers = {},
    from = CALLER,
  }: { host: string; path: string; headers?: Record<string, string>; from?: string },
): Promise<{ status: number; location: string | undefined; text: string }> {
  const request = http.request({
    host: '127.0.0.1',
    port,
    path,
    localAddress: from,
    agent: false,
    headers: { host, ...headers },
  });
  request.end();
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const text = Buffer.concat((await response.toArray()) as Buffer[]).toString();
  return { status: response.statusCode!, location: response.headers.location, text };
}
