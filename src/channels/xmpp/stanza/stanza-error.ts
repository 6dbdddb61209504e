/** Converts errors about sent messages to driver errors. */
import type { Element } from '@xmpp/xml';
import { DriverError } from '../../contract/driver-error.ts';
import { stanzaCondition, toStanzaError } from '../wire/errors.ts';

/**
 * Conditions that mean something different for a message than for a request. A server responds the same for a person
 * who blocks us as for an address that doesn't exist.
 */
const OF_MESSAGES: Record<string, [code: string, detail: string]> = {
  'service-unavailable': [
    'recipient_unknown',
    'There is nobody of that address, or nobody who takes messages.',
  ],
  'item-not-found': ['recipient_unknown', 'There is nobody of that address.'],
  'jid-malformed': ['recipient_unknown', 'The address can be none.'],
  gone: ['recipient_unknown', 'There is nobody of that address any more.'],
  'remote-server-not-found': ['recipient_unknown', "There is no server for the address's domain."],
  'recipient-unavailable': ['recipient_unavailable', 'The recipient is not there.'],
  forbidden: ['not_allowed', 'The account may not write there.'],
  'not-allowed': ['not_allowed', 'The account may not write there.'],
  'not-authorized': ['not_allowed', 'The account may not write there.'],
  'policy-violation': ['not_allowed', "The message breaks the server's rules."],
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
