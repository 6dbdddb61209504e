/**
 * Converts XMPP and network errors to driver errors. Before authentication the peer may be any server, so only
 * conditions from the standards are reported, never its own text.
 */
import type { Element } from '@xmpp/xml';
import { EgressError } from '../../../platform/addresses/egress-error.ts';
import { DriverError, type DriverErrorKind } from '../../contract/driver-error.ts';
import { NS } from './namespaces.ts';
import { XmlError } from './xml-reader.ts';

const MAX_DETAIL = 300;

/** Returns a server's text for display: one line of limited length. */
const said = (text: string | null | undefined): string =>
  (text ?? '')
    .replaceAll(/[\p{C}\s]+/gu, ' ')
    .trim()
    .slice(0, MAX_DETAIL);

export const lost = (code: string, detail: string, cause?: unknown): DriverError =>
  new DriverError('lost', code, detail, { cause });
export const refused = (code: string, detail: string, cause?: unknown): DriverError =>
  new DriverError('refused', code, detail, { cause });
export const unknown = (detail: string, cause?: unknown): DriverError =>
  new DriverError('unknown', 'no_answer', detail, { cause });
export const abandoned = (): DriverError => lost('given_up', 'The call was canceled.');

/**
 * Converts an error of the network or of parsing its data; driver errors are kept. A rejection by the egress guard
 * lasts until an operator acts.
 */
export function toNetworkError(error: unknown): DriverError {
  if (error instanceof DriverError) return error;
  if (error instanceof XmlError) return lost('invalid_stream', error.message, error);
  if (error instanceof EgressError) {
    const stays = error.code === 'address_not_allowed' || error.code === 'invalid_url';
    return new DriverError(stays ? 'refused' : 'lost', error.code, `XMPP: ${error.detail}`, { cause: error });
  }
  return lost('connection_lost', 'XMPP: the connection was lost.', error);
}

const snake = (condition: string): string => condition.replaceAll('-', '_');

const getCondition = (element: Element, namespace: string): string | null =>
  element.children
    .find(
      (child): child is Element =>
        typeof child === 'object' && child.getNS() === namespace && child.getName() !== 'text',
    )
    ?.getName() ?? null;

/** RFC 6120, 4.9.3. */
const STREAM_CONDITIONS: Record<string, [DriverErrorKind, string]> = {
  conflict: ['lost', 'Another connection of the same account replaced this connection.'],
  'host-gone': ['refused', "The server no longer serves the account's domain."],
  'host-unknown': ['refused', "The server does not serve the account's domain."],
  'connection-timeout': ['lost', 'The connection timed out because the server received no data.'],
  'internal-server-error': ['lost', 'The server reported an internal error.'],
  'not-authorized': ['lost', 'The server closed the stream: the account is not authorized.'],
  'policy-violation': ['lost', "The server closed the stream because it violates the server's policy."],
  'remote-connection-failed': ['lost', 'The server cannot connect to a service that it requires.'],
  reset: ['lost', 'The server requires a new connection.'],
  'resource-constraint': ['lost', 'The server does not have the resources for another connection.'],
  'see-other-host': ['lost', 'The server redirected to another host. Redirects are not supported.'],
  'system-shutdown': ['lost', 'The server is shutting down.'],
  'undefined-condition': ['lost', 'The server closed the stream.'],
};

/** @param error a `<stream:error/>` */
export function toStreamError(error: Element): DriverError {
  const condition = getCondition(error, NS.streams) ?? 'undefined-condition';
  const known = STREAM_CONDITIONS[Object.hasOwn(STREAM_CONDITIONS, condition) ? condition : ''];
  if (known) return new DriverError(known[0], snake(condition), known[1]);
  return lost('stream_error', 'The server closed the stream because it could not parse the data sent.');
}

/** RFC 6120, 6.5. */
const SASL_CONDITIONS: Record<string, [DriverErrorKind, string, string]> = {
  'account-disabled': ['refused', 'account_disabled', 'The account is disabled.'],
  'credentials-expired': ['refused', 'credentials_expired', 'The password has expired.'],
  'encryption-required': [
    'refused',
    'encryption_required',
    'The server accepts passwords over TLS only. Set security to starttls or tls.',
  ],
  'temporary-auth-failure': [
    'lost',
    'temporary_auth_failure',
    'The server cannot verify passwords at the moment.',
  ],
};

/** @param failure a SASL `<failure/>` */
export function toSaslError(failure: Element): DriverError {
  const condition = getCondition(failure, NS.sasl) ?? '';
  const known = SASL_CONDITIONS[Object.hasOwn(SASL_CONDITIONS, condition) ? condition : ''];
  if (known) return new DriverError(...known);
  return refused('authentication_failed', 'The server rejected the address and password.');
}

/** RFC 6120, 8.3.3: conditions of temporary errors. */
const FOR_NOW = new Set(['resource-constraint', 'remote-server-timeout', 'internal-server-error']);
const WORDS: Record<string, string> = {
  'bad-request': 'The request is malformed.',
  conflict: 'The name is already in use.',
  'feature-not-implemented': 'The recipient does not support this feature.',
  forbidden: 'The account is not allowed to do that.',
  gone: 'The recipient or item no longer exists.',
  'internal-server-error': 'The server reported an internal error.',
  'item-not-found': 'The recipient or item does not exist.',
  'jid-malformed': 'The address is invalid.',
  'not-acceptable': 'The recipient does not accept the request.',
  'not-allowed': 'This action is not allowed.',
  'not-authorized': 'A password or membership is required.',
  'policy-violation': "The request violates the server's policy.",
  'recipient-unavailable': 'The recipient is not available.',
  'registration-required': 'Only members are allowed to do that.',
  'remote-server-not-found': "The server of the address's domain was not found.",
  'remote-server-timeout': "The server of the address's domain did not respond in time.",
  'resource-constraint': 'The recipient does not have enough resources.',
  'service-unavailable': 'The service is unavailable.',
};

/** @param stanza has type='error'. @returns its condition as the standard spells it: `item-not-found` */
export function stanzaCondition(stanza: Element): string {
  const error = stanza.getChild('error');
  return (error && getCondition(error, NS.stanzas)) ?? 'undefined-condition';
}

/**
 * Converts an error stanza. The code is its condition: `item_not_found`. The kind is `busy` if a retry may succeed: the
 * error's type is `wait`, or the condition is temporary.
 */
export function toStanzaError(stanza: Element): DriverError {
  const error = stanza.getChild('error');
  const condition = stanzaCondition(stanza);
  const isKnown = Object.hasOwn(WORDS, condition);
  const text = said(error?.getChildText('text', NS.stanzas));
  const detail =
    (isKnown ? WORDS[condition]! : 'The recipient rejected the request.') + (text ? ` (${text})` : '');
  const kind = error?.attrs['type'] === 'wait' || FOR_NOW.has(condition) ? 'busy' : 'rejected';
  return new DriverError(kind, isKnown ? snake(condition) : 'refused_by_server', detail);
}
