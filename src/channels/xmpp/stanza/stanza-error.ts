/** Converts errors about sent messages to driver errors. */
import type { Element } from '@xmpp/xml';
import { DriverError } from '../../contract/driver-error.ts';
import { stanzaCondition, toStanzaError } from '../wire/errors.ts';

/**
 * Conditions that mean something different for a message than for a request. A server responds the same for a person
 * who blocks us as for an address that doesn't exist.
 */
const OF_MESSAGES: Record<string, [code: string, detail: string]> = {
  'service-unavailable': ['recipient_unknown', 'The recipient does not exist, or does not accept messages.'],
  'item-not-found': ['recipient_unknown', 'The recipient does not exist.'],
  'jid-malformed': ['recipient_unknown', 'The recipient address is invalid.'],
  gone: ['recipient_unknown', 'The recipient no longer exists.'],
  'remote-server-not-found': ['recipient_unknown', "The server of the recipient's domain was not found."],
  'recipient-unavailable': ['recipient_unavailable', 'The recipient is not available.'],
  forbidden: ['not_allowed', 'The account is not allowed to send messages to this recipient.'],
  'not-allowed': ['not_allowed', 'The account is not allowed to send messages to this recipient.'],
  'not-authorized': ['not_allowed', 'The account is not allowed to send messages to this recipient.'],
  'policy-violation': ['not_allowed', "The message violates the server's policy."],
};

const isBlocked = (stanza: Element): boolean =>
  stanza.getChild('error')?.getChild('blocked', 'urn:xmpp:blocking:errors') !== undefined;

/** @param stanza a message with type `error` */
export function readStanzaError(stanza: Element): DriverError {
  const fault = toStanzaError(stanza);
  if (isBlocked(stanza))
    return new DriverError('rejected', 'blocked', 'The account has blocked this address.');
  const condition = stanzaCondition(stanza);
  const known = Object.hasOwn(OF_MESSAGES, condition) ? OF_MESSAGES[condition]! : null;
  if (!known || fault.kind === 'busy') return fault;
  return new DriverError('rejected', ...known);
}
