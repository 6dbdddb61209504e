/**
 * Sends invitations: through the room, which may add its password, and directly, which reaches people who block
 * messages from unknown rooms.
 */
import type { Element } from '@xmpp/xml';
import { DriverError } from '../../contract/driver-error.ts';
import { readBare } from '../wire/address.ts';
import { toStanzaError } from '../wire/errors.ts';
import { newServiceId } from '../stanza/names.ts';
import type { StanzaHandler, XmppStream } from '../session/stream.ts';
import { directInvite, mediatedInvite } from './muc.ts';
import type { Room } from './room.ts';

export interface Inviting {
  /**
   * Resolves once the room and the account's server have each accepted an invitation.
   * @throws DriverError rejected with the room's error, or `recipient_unknown` if the account's server knows no such
   *   person
   */
  invite(room: Room, person: string, signal: AbortSignal): Promise<void>;
  /** Handles errors about sent invitations. */
  handle: StanzaHandler;
}

export function createInviting(stream: XmppStream): Inviting {
  const open = new Map<string, { to: string; fail: (fault: DriverError) => void }>();

  /** @param by the entity that accepts or rejects the stanza; undefined for the account's server */
  const give = async (stanza: Element, to: string, signal: AbortSignal, by?: string): Promise<void> => {
    const id = String(stanza.attrs['id']);
    const refused = Promise.withResolvers<never>();
    refused.promise.catch(() => {}); // not awaited yet
    open.set(id, { to, fail: refused.reject });
    try {
      await stream.send(stanza);
      const taken = stream.ping(signal, by);
      taken.catch(() => {}); // if the rejection comes first
      await Promise.race([refused.promise, taken]);
    } finally {
      open.delete(id);
    }
  };

  return {
    async invite(room, person, signal) {
      // The room's response shows whether the account may invite; the person's server shows whether the person exists.
      const mediated = mediatedInvite(room.address, newServiceId(), person);
      await give(mediated, room.address, signal, room.address);
      try {
        await give(directInvite(room.address, newServiceId(), person, room.known.password), person, signal);
      } catch (error) {
        const isNobody =
          error instanceof DriverError && ['service_unavailable', 'item_not_found'].includes(error.code);
        throw isNobody
          ? new DriverError(
              'rejected',
              'recipient_unknown',
              'The address does not exist, or does not accept messages from this account.',
            )
          : error;
      }
    },
    handle(stanza) {
      if (stanza.getName() !== 'message' || stanza.attrs['type'] !== 'error') return false;
      const sent = open.get(String(stanza.attrs['id']));
      if (!sent) return false;
      const from = readBare(stanza.attrs['from'] as string | undefined);
      if (from !== sent.to && from !== stream.account && from !== stream.domain) return false;
      sent.fail(toStanzaError(stanza));
      return true;
    },
  };
}
