/** Converts errors of IMAP, SMTP and the network to driver errors. */
import { EgressError } from '../../platform/addresses/egress-error.ts';
import { DriverError } from '../contract/driver-error.ts';
import { currentMs } from '../../platform/time/clock.ts';

interface ImapError {
  authenticationFailed?: boolean;
  serverResponseCode?: string;
  tlsFailed?: boolean;
  code?: string;
  responseText?: string;
  message?: string;
}

/** IMAP response codes (RFC 5530) of temporary login failures. */
const NOT_NOW = new Set(['UNAVAILABLE', 'INUSE', 'LIMIT', 'SERVERBUG']);
const MAX_DETAIL = 300;

/** Returns a server's text for display: one line of limited length. */
const said = (text: string | undefined): string =>
  (text ?? '')
    .replaceAll(/[\p{C}\s]+/gu, ' ')
    .trim()
    .slice(0, MAX_DETAIL);

/** @param code a library's own error code */
export const beforeLogin = (code?: string): string =>
  `the server does not speak as was expected, before any login${/^\w{1,40}$/.test(code ?? '') ? ` (${code})` : ''}.`;

/**
 * Converts a network error. A rejection by the egress guard lasts until an operator acts; all others may be temporary.
 */
function ofNetwork(error: EgressError, server: string): DriverError {
  const kind = error.code === 'address_not_allowed' || error.code === 'invalid_url' ? 'refused' : 'lost';
  return new DriverError(kind, error.code, `${server}: ${error.detail}`, { cause: error });
}

const authenticationFailed = (server: string, text: string | undefined, cause: unknown): DriverError => {
  const detail = said(text);
  return new DriverError(
    'refused',
    'authentication_failed',
    `The ${server} server rejected the user name and password${detail ? `: ${detail}` : '.'}`,
    { cause },
  );
};

/**
 * Converts an error of an IMAP connection or command.
 * @param isSignedIn if false, the server's text is not reported, because it may be any server, not one of the user's
 */
export function toImapError(error: unknown, isSignedIn = true): DriverError {
  if (error instanceof DriverError) return error;
  if (error instanceof EgressError) return ofNetwork(error, 'IMAP');
  const {
    authenticationFailed: isRefused,
    serverResponseCode,
    tlsFailed,
    responseText,
    message,
    code,
  } = error as ImapError;
  if (isRefused && !NOT_NOW.has(serverResponseCode ?? ''))
    return authenticationFailed('IMAP', responseText, error);
  if (/STARTTLS/.test(message ?? '') && !tlsFailed)
    return new DriverError('refused', 'starttls_unavailable', 'The IMAP server does not offer STARTTLS.', {
      cause: error,
    });
  if (tlsFailed)
    return new DriverError('lost', 'tls_failed', `IMAP: no secure connection: ${said(message)}`, {
      cause: error,
    });
  const detail = isSignedIn || isRefused ? said(responseText) || said(message) : beforeLogin(code);
  return new DriverError('lost', 'connection_lost', `IMAP: ${detail || 'the connection ended.'}`, {
    cause: error,
  });
}

interface SmtpError {
  code?: string;
  responseCode?: number;
  response?: string;
  command?: string;
  message?: string;
}

/** Enhanced status codes (RFC 3463), most exact first. */
const REFUSALS: [RegExp, string][] = [
  [/^5\.1\./, 'recipient_unknown'],
  [/^5\.2\.1$/, 'recipient_unknown'],
  [/^5\.2\.2$/, 'mailbox_full'],
  [/^5\.(2\.3|3\.4)$/, 'too_large'],
  [/^5\.7\./, 'not_allowed'],
];
const LIMIT_MS = 3_600_000;

/**
 * Returns the code of a permanent rejection.
 * @param status enhanced status code such as 5.1.1, or empty
 */
export function toRejectionCode(status: string, reply = 0): string {
  const known = REFUSALS.find(([pattern]) => pattern.test(status));
  if (known) return known[1];
  if (reply === 552) return 'too_large';
  return reply === 550 || reply === 551 || reply === 553 ? 'recipient_unknown' : 'refused_by_server';
}

/**
 * Converts an error of sending a mail.
 * @param isHandedOver whether all of it was written, so that only the server knows whether it accepted it
 */
export function toSmtpError(error: unknown, isHandedOver: boolean): DriverError {
  if (error instanceof DriverError) return error;
  if (error instanceof EgressError) return ofNetwork(error, 'SMTP');
  const { code = '', responseCode = 0, response, command = '', message } = error as SmtpError;
  const status = /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})\b/.exec(response ?? '')?.[1] ?? '';
  const detail = said(response) || said(message) || 'the connection ended.';
  if (code === 'EAUTH' && responseCode >= 500) return authenticationFailed('SMTP', response, error);
  if (code === 'EMESSAGE' && command === 'MAIL FROM' && responseCode === 0)
    return new DriverError('rejected', 'too_large', 'The mail is too large for the SMTP server.', {
      cause: error,
    });
  // Gmail and others respond with this when the daily sending limit is exceeded.
  if (status === '5.4.5')
    return new DriverError('restricted', 'sending_limit', detail, {
      until: new Date(currentMs() + LIMIT_MS),
      cause: error,
    });
  if (responseCode >= 500) {
    const named = command === 'MAIL FROM' && !/^5\.(2\.3|3\.4)$/.test(status) ? 'sender_refused' : null;
    return new DriverError('rejected', named ?? toRejectionCode(status, responseCode), detail, {
      cause: error,
    });
  }
  if (responseCode === 421 || (code === 'EAUTH' && responseCode >= 400))
    return new DriverError('lost', 'server_unavailable', detail, { cause: error });
  if (responseCode >= 400) return new DriverError('busy', 'try_later', detail, { cause: error });
  if (code === 'EENVELOPE') return new DriverError('rejected', 'recipient_unknown', detail, { cause: error });
  if (code === 'ESTREAM')
    return new DriverError('busy', 'file_unavailable', 'The file could not be read.', { cause: error });
  if (code === 'ETLS') return new DriverError('lost', 'tls_failed', `SMTP: ${detail}`, { cause: error });
  if (isHandedOver)
    return new DriverError('unknown', 'no_acknowledgement', `SMTP: ${detail}`, { cause: error });
  return new DriverError('lost', 'connection_lost', `SMTP: ${detail}`, { cause: error });
}
