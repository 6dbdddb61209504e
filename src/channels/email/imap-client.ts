/**
 * Opens an IMAP connection over a socket from the egress guard. imapflow opens its own socket and doesn't accept one,
 * so its socket is replaced between its call of `connect` and the dial, which happens in a later tick and then finds
 * the old socket destroyed.
 */
import { Socket } from 'node:net';
import { ImapFlow } from 'imapflow';
import type { Egress } from '../../platform/egress/egress.ts';
import type { DriverError } from '../contract/driver-error.ts';
import { toImapError } from './errors.ts';
import type { Login, MailServerSettings } from './settings.ts';

const CONNECT_MS = 15_000;
/** Silence after which the server is checked. */
const QUIET_MS = 90_000;
/** Servers and middleboxes drop a long IDLE, so it is renewed as RFC 2177 recommends. */
const MAX_IDLE_MS = 240_000;
/** How long imapflow waits for further commands before it starts to listen. */
const IDLE_AFTER_MS = 250;
/**
 * Maximum bytes of a response. Parsing takes about a hundred times as much memory, and the sender of a mail with many
 * parts determines the length of the response about it. No request needs a longer response; files are fetched in
 * pieces.
 */
const MAX_RESPONSE = 1_000_000;

export interface ImapOptions {
  egress: Egress;
  server: MailServerSettings;
  login: Login;
  /** Whether it listens (IDLE) when it is idle. */
  listens: boolean;
  signal: AbortSignal;
}

/** @throws DriverError, or an error that `toImapError` converts */
export async function openImap({ egress, server, login, listens, signal }: ImapOptions): Promise<ImapFlow> {
  const { host, port, security } = server;
  const socket = await egress.connect({
    host,
    port,
    tls: security === 'tls' ? true : undefined,
    signal,
    timeoutMs: CONNECT_MS,
  });
  const client = new ImapFlow({
    host,
    port,
    // Implicit TLS is handled by the egress guard; STARTTLS is verified by Node with the given trust.
    secure: false,
    doSTARTTLS: security === 'starttls',
    tls: { ...egress.tls, rejectUnauthorized: true, lookup: neverLooksUp },
    auth: { user: login.user, pass: login.password },
    clientInfo: { name: 'Fairlead', version: false, vendor: false, 'support-url': false },
    logger: false,
    // Otherwise a few bytes could decompress into any amount.
    disableCompression: true,
    disableAutoIdle: !listens,
    autoIdleDelay: IDLE_AFTER_MS,
    maxIdleTime: MAX_IDLE_MS,
    socketTimeout: QUIET_MS,
    greetingTimeout: CONNECT_MS,
    connectionTimeout: CONNECT_MS,
    maxLineLength: MAX_RESPONSE,
    maxLiteralSize: MAX_RESPONSE,
    maxResponseSize: MAX_RESPONSE,
  });
  // Every error is followed by `close`, which the owner of the connection handles.
  client.on('error', () => {});
  const onAbort = (): void => client.close();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    await connectOver(client, socket);
    return client;
  } catch (error) {
    const isSignedIn = Boolean(client.authenticated);
    client.close();
    socket.destroy();
    throw toImapError(error, isSignedIn);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/**
 * Runs `work` on a client that is closed with the error `tooMuch` when the server has sent more than `max` bytes.
 * Single responses are limited for every client; this limits operations that collect any number of responses.
 */
export async function withinBytes<T>(
  client: ImapFlow,
  max: number,
  tooMuch: () => DriverError,
  work: () => Promise<T>,
): Promise<T> {
  const { socket } = client as unknown as Insides;
  if (!(socket instanceof Socket)) throw new Error('This version of imapflow keeps its socket elsewhere.');
  let said = 0;
  const onData = (data: Buffer): void => {
    said += data.length;
    if (said > max) client.close();
  };
  socket.on('data', onData);
  try {
    const result = await work();
    if (said > max) throw tooMuch();
    return result;
  } catch (error) {
    throw said > max ? tooMuch() : error;
  } finally {
    socket.off('data', onData);
  }
}

const neverLooksUp = (): never => {
  throw new Error('imapflow must not resolve hosts.');
};

interface Insides {
  socket: unknown;
  writeSocket: unknown;
  _connectErrorHandler: unknown;
}

function connectOver(client: ImapFlow, socket: Socket): Promise<void> {
  const connected = client.connect();
  const insides = client as unknown as Insides;
  const theirs = insides.socket;
  const onConnect = theirs instanceof Socket ? theirs.listeners('connect')[0] : undefined;
  if (theirs instanceof Socket)
    theirs
      .removeAllListeners()
      .on('error', () => {})
      .destroy();
  if (!onConnect || typeof insides._connectErrorHandler !== 'function') {
    connected.catch(() => {});
    throw new Error('This version of imapflow connects in another way.');
  }
  insides.socket = socket;
  insides.writeSocket = socket;
  socket.on('error', insides._connectErrorHandler as (error: Error) => void);
  onConnect();
  return connected;
}
