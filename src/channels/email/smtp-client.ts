/**
 * Sends mails by SMTP over sockets from the egress guard. Idle connections are kept for a while, and checked before
 * they are reused.
 */
import type { Readable } from 'node:stream';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import type { Egress } from '../../platform/egress/egress.ts';
import { beforeLogin, toSmtpError } from './errors.ts';
import type { Login, MailServerSettings } from './settings.ts';

const CONNECT_MS = 15_000;
/** How long the server may be silent, even after it has the whole mail. */
const SILENCE_MS = 120_000;
const KEPT_MS = 15_000;
const MAX_KEPT = 4;

export interface Envelope {
  from: string;
  to: string[];
  /** The approximate size in bytes, so that a server can reject the mail before it is sent. */
  size: number;
}

export interface SmtpClient {
  /** Signs in, and keeps the connection for the first mail. @throws DriverError */
  verify(signal: AbortSignal): Promise<void>;
  /** @returns the Message-ID with which the server replaced ours, if it reports one. @throws DriverError */
  send(envelope: Envelope, message: Readable, signal: AbortSignal): Promise<string | null>;
  close(): void;
}

interface SmtpFailure extends Error {
  code?: string;
  responseCode?: number;
  command?: string;
}

/** Removes the server's text from before login, because it may be any server. Node's own text about TLS is kept. */
function withoutWords(cause: SmtpFailure): Error {
  const { code, responseCode, command, message } = cause;
  const told = code === 'ETLS' && !('response' in cause) ? message : beforeLogin(code);
  return Object.assign(new Error(told, { cause }), { code, responseCode, command });
}

/** @param name the client's name in greetings: the account's domain, which reveals nothing about this machine */
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
  /** Runs `work` on a connection, which is dropped if the work fails or the call is canceled. */
  const on = async <T>(
    connection: SMTPConnection,
    signal: AbortSignal,
    work: (done: (error: Error | null, result?: T) => void) => void,
  ): Promise<T> => {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const onAbort = (): void => reject(new Error('The call was canceled.'));
    // Deferred, so that an earlier response of the server is handled first.
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
    connection.on('error', () => {}); // also for an idle one, which its next use notices
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
        if (signal.aborted) break; // otherwise it ended while idle
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
          // The library writes to the envelope that it gets.
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
