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
  conflict: ['lost', 'The account was connected from elsewhere in the place of this connection.'],
  'host-gone': ['refused', 'The server does not serve the domain of the account any more.'],
  'host-unknown': ['refused', 'The server does not serve the domain of the account.'],
  'connection-timeout': ['lost', 'The server heard nothing for too long.'],
  'internal-server-error': ['lost', 'The server failed.'],
  'not-authorized': ['lost', 'The server ended the stream: not authorized.'],
  'policy-violation': ['lost', 'The server ended the stream: it breaks its rules.'],
  'remote-connection-failed': ['lost', 'The server can not reach what it needs.'],
  reset: ['lost', 'The server wants a fresh connection.'],
  'resource-constraint': ['lost', 'The server has no room for another connection.'],
  'see-other-host': ['lost', 'The server sends elsewhere, which is never followed.'],
  'system-shutdown': ['lost', 'The server is shutting down.'],
  'undefined-condition': ['lost', 'The server ended the stream.'],
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
  'account-disabled': ['refused', 'account_disabled', 'The server has closed the account.'],
  'credentials-expired': ['refused', 'credentials_expired', 'The password has expired.'],
  'encryption-required': [
    'refused',
    'encryption_required',
    'The server takes passwords by TLS only: set security to starttls or tls.',
  ],
  'temporary-auth-failure': [
    'lost',
    'temporary_auth_failure',
    'The server can not check passwords at the moment.',
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
  'bad-request': 'The request was not understood.',
  conflict: 'There is one of that name already.',
  'feature-not-implemented': 'The other side does not know what was asked for.',
  forbidden: 'The account is not allowed to do that.',
  gone: 'It is not there any more.',
  'internal-server-error': 'The server failed.',
  'item-not-found': 'There is none of that name.',
  'jid-malformed': 'The address can be none.',
  'not-acceptable': 'The other side does not take it.',
  'not-allowed': 'Nobody is allowed to do that.',
  'not-authorized': 'That needs a password or a membership.',
  'policy-violation': "It breaks the server's rules.",
  'recipient-unavailable': 'The recipient is not there.',
  'registration-required': 'That is for members only.',
  'remote-server-not-found': "There is no server for the address's domain.",
  'remote-server-timeout': "The server of the address's domain does not answer.",
  'resource-constraint': 'The other side has no room for it.',
  'service-unavailable': 'The other side does not offer that.',
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
  const detail = (isKnown ? WORDS[condition]! : 'The other side refused it.') + (text ? ` (${text})` : '');
  const kind = error?.attrs['type'] === 'wait' || FOR_NOW.has(condition) ? 'busy' : 'rejected';
  return new DriverError(kind, isKnown ? snake(condition) : 'refused_by_server', detail);
}
