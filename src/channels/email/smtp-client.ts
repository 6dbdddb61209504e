/**
 * Hands mails over by SMTP, over sockets that the guard opened. Idle connections are kept for a while and asked whether
 * they still work before they are used again.
 */
import type { Readable } from 'node:stream';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import type { Egress } from '../../platform/egress/egress.ts';
import { beforeLogin, toSmtpError } from './errors.ts';
import type { Login, MailServerSettings } from './settings.ts';

const CONNECT_MS = 15_000;
/** How long the server may be silent, also after it has the whole mail. */
const SILENCE_MS = 120_000;
const KEPT_MS = 15_000;
const MAX_KEPT = 4;

export interface Envelope {
  from: string;
  to: string[];
  /** About how many bytes, so that a server can refuse before it is sent them. */
  size: number;
}

export interface SmtpClient {
  /** Signs in, and keeps the connection for the first mail. @throws DriverError */
  verify(signal: AbortSignal): Promise<void>;
  /** @returns the Message-ID that the server put in place of ours, where it says so. @throws DriverError */
  send(envelope: Envelope, message: Readable, signal: AbortSignal): Promise<string | null>;
  close(): void;
}

interface SmtpFailure extends Error {
  code?: string;
  responseCode?: number;
  command?: string;
}

/** Without what the server said before any login: it may be any server at all. Node's own words about TLS stay. */
function withoutWords(cause: SmtpFailure): Error {
  const { code, responseCode, command, message } = cause;
  const told = code === 'ETLS' && !('response' in cause) ? message : beforeLogin(code);
  return Object.assign(new Error(told, { cause }), { code, responseCode, command });
}

/** @param name what it calls itself to servers: the domain of the account, and nothing of this machine */
export function createSmtpClient(
  egress: Egress,
  server: MailServerSettings,
  login: Login,
  name: string,
): SmtpClient {
  const kept = new Map<SMTPConnection, NodeJS.Timeout>();
  const inUse = new Set<SMTPConnection>();
  let isClosed = false;

  const drop = (connection: SMTPConnection): void => {
    clearTimeout(kept.get(connection));
    kept.delete(connection);
    inUse.delete(connection);
    connection.close();
  };
  const keep = (connection: SMTPConnection): void => {
    inUse.delete(connection);
    if (isClosed || kept.size >= MAX_KEPT) return connection.close();
    const timer = setTimeout(() => {
      kept.delete(connection);
      connection.quit();
    }, KEPT_MS);
    kept.set(connection, timer.unref());
  };
  /** `work` on a connection; it is dropped when that fails, or when the call is given up. */
  const on = async <T>(
    connection: SMTPConnection,
    signal: AbortSignal,
    work: (done: (error: Error | null, result?: T) => void) => void,
  ): Promise<T> => {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const onAbort = (): void => reject(new Error('The call was canceled.'));
    // What the server said before comes first.
    const onEnd = (): unknown => setImmediate(() => reject(new Error('The server ended the connection.')));
    connection.on('error', reject).once('end', onEnd);
    signal.addEventListener('abort', onAbort);
    inUse.add(connection);
    try {
      if (signal.aborted || isClosed) onAbort();
      else work((error, result) => (error ? reject(error) : resolve(result as T)));
      return await promise;
    } catch (error) {
      drop(connection);
      throw error;
    } finally {
      signal.removeEventListener('abort', onAbort);
      connection.off('error', reject).off('end', onEnd);
    }
  };

  const open = async (signal: AbortSignal): Promise<SMTPConnection> => {
    const { host, port, security } = server;
    const isSecure = security === 'tls';
    const socket = await egress.connect({
      host,
      port,
      tls: isSecure ? true : undefined,
      signal,
      timeoutMs: CONNECT_MS,
    });
    const connection = new SMTPConnection({
      name,
      host,
      port,
      connection: socket,
      secure: isSecure,
      secured: isSecure,
      requireTLS: security === 'starttls',
      ignoreTLS: security === 'none',
      tls: { ...egress.tls, rejectUnauthorized: true },
      greetingTimeout: CONNECT_MS,
      connectionTimeout: 2 * CONNECT_MS,
      socketTimeout: SILENCE_MS,
    });
    connection.on('error', () => {}); // also of one that is kept, which its next use finds out
    connection.once('end', () => drop(connection));
    try {
      await on<void>(connection, signal, (done) => connection.connect((error) => done(error ?? null)));
    } catch (error) {
      throw withoutWords(error as SmtpFailure);
    }
    await on(connection, signal, (done) => {
      connection.login({ credentials: { user: login.user, pass: login.password } }, done);
    });
    return connection;
  };
  const take = async (signal: AbortSignal): Promise<SMTPConnection> => {
    for (const [connection, timer] of kept) {
      clearTimeout(timer);
      kept.delete(connection);
      try {
        await on(connection, signal, (done) => connection.reset(done));
        return connection;
      } catch {
        if (signal.aborted) break; // else it had ended while it was kept
      }
    }
    return open(signal);
  };

  return {
    async verify(signal) {
      try {
        keep(await open(signal));
      } catch (error) {
        throw toSmtpError(error, false);
      }
    },
    async send(envelope, message, signal) {
      let isHandedOver = false;
      message.once('end', () => (isHandedOver = true));
      try {
        const connection = await take(signal);
        const result = await on<{ serverMessageId?: string }>(connection, signal, (done) =>
          // It writes into the envelope that it is given.
          connection.send({ ...envelope }, message, done),
        );
        keep(connection);
        return result.serverMessageId?.replaceAll(/[<>]/g, '') ?? null;
      } catch (error) {
        message.destroy();
        throw toSmtpError(error, isHandedOver);
      }
    },
    close() {
      isClosed = true;
      for (const connection of [...kept.keys(), ...inUse]) drop(connection);
    },
  };
}
