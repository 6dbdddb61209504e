/**
 * Sends mail over SMTP_URL. TLS certificates are verified; off loopback TLS is required, unless SMTP_URL says
 * `?tls=optional` (an internal relay without it). nodemailer is loaded at the first mail.
 *
 * Sending is slow and may fail: request handlers don't call it, they leave a sealed job (mail-job.ts).
 */
import { isIP } from 'node:net';
import { type Config, ConfigError, isLoopbackHost } from '../config/config.ts';
import type { Log } from '../logging/log.ts';

export interface MailMessage {
  /** One address. */
  to: string;
  subject: string;
  text: string;
  html: string;
}

/** The mail server did not take a mail. `permanent`: it never will (5xx), so that trying again is of no use. */
export class MailError extends Error {
  readonly permanent: boolean;
  constructor(message: string, permanent: boolean, options?: ErrorOptions) {
    super(message, options);
    this.permanent = permanent;
  }
}

export interface Mailer {
  /** False without SMTP_URL. */
  enabled: boolean;
  /** @throws MailError when the mail was not taken, or there is no mail server. */
  send(message: MailMessage): Promise<void>;
  close(): void;
}

const CONNECT_MS = 10_000;
const ANSWER_MS = 30_000;
const MAX_SUBJECT = 200;
const MAX_ADDRESS = 254;
/** One address, nothing that a header could be broken out of, nor a list be made of. */
const ADDRESS = /^[^\s"(),:;<>@[\\\]\p{Cc}]+@[^\s"(),:;<>@[\\\]\p{Cc}]+$/u;

/** @throws ConfigError when SMTP_URL can't be used. */
export function smtpOptions(url: string) {
  const { protocol, hostname, port, username, password, searchParams } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  const secure = protocol === 'smtps:';
  const local = isLoopbackHost(hostname);
  const tls = searchParams.get('tls') ?? 'required';
  if (!host) throw new ConfigError('SMTP_URL must contain a host, such as smtp://user:password@host:587');
  if (tls !== 'required' && tls !== 'optional')
    throw new ConfigError('SMTP_URL: tls must be required or optional');
  return {
    host,
    port: port ? Number(port) : secure ? 465 : 587,
    secure,
    requireTLS: !secure && !local && tls === 'required',
    ignoreTLS: !secure && local,
    ...(username ? { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } } : {}),
    connectionTimeout: CONNECT_MS,
    dnsTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: ANSWER_MS,
    tls: { rejectUnauthorized: true, minVersion: 'TLSv1.2' as const },
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

/** MAIL_FROM, or fairlead@ and the host of BASE_URL. */
function sender({ MAIL_FROM, baseUrl }: Config) {
  if (MAIL_FROM !== null) return MAIL_FROM;
  const host = new URL(baseUrl).hostname.replace(/^\[|\]$/g, '');
  const family = isIP(host);
  const domain = family === 0 ? host : family === 4 ? `[${host}]` : `[IPv6:${host}]`;
  return { name: 'Fairlead', address: `fairlead@${domain}` };
}

/** A header's text: one line, bounded. */
const oneLine = (text: string): string =>
  text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
    .slice(0, MAX_SUBJECT);

/** @throws ConfigError when SMTP_URL can't be used. */
export function createMailer({ config, log }: { config: Config; log: Pick<Log, 'info'> }): Mailer {
  if (config.SMTP_URL === null)
    return {
      enabled: false,
      send: () => Promise.reject(new MailError('SMTP_URL is not set, so no mail can be sent', true)),
      close: () => undefined,
    };

  const options = smtpOptions(config.SMTP_URL);
  const connect = async () => (await import('nodemailer')).createTransport(options);
  let transport: ReturnType<typeof connect> | null = null;

  return {
    enabled: true,
    async send({ to, subject, text, html }) {
      if (to.length > MAX_ADDRESS || !ADDRESS.test(to))
        throw new MailError('the address of a mail is not one email address', true);
      try {
        const { messageId } = await (
          await (transport ??= connect())
        ).sendMail({
          from: sender(config),
          to: { name: '', address: to },
          subject: oneLine(subject),
          text,
          html,
          headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
        });
        log.info({ messageId }, 'mail sent');
      } catch (error) {
        const { message, responseCode = 0 } = error as Error & { responseCode?: number };
        throw new MailError(`the mail server did not take a mail: ${message}`, responseCode >= 500, {
          cause: error,
        });
      }
    },
    close() {
      void transport?.then((open) => open.close());
      transport = null;
    },
  };
}
