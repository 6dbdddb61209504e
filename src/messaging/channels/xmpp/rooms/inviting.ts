/** Invitations that the account sends: by the room, which may hand out a password, and directly, which reaches those who let no strangers' rooms write to them. */
import type { Element } from '@xmpp/xml';
import { DriverError } from '../../driver-error.ts';
import { readBare } from '../address.ts';
import { stanzaFault } from '../faults.ts';
import { newServiceId } from '../stanza/names.ts';
import type { StanzaHandler, XmppStream } from '../stream.ts';
import { directInvite, mediatedInvite } from './muc.ts';
import type { Room } from './room.ts';

export interface Inviting {
  /** Resolves once the server has both. @throws DriverError rejected `recipient_unknown`, where it says at once that nobody is there */
  invite(room: Room, person: string, signal: AbortSignal): Promise<void>;
  /** Takes errors about invitations. */
  handle: StanzaHandler;
}

export function createInviting(stream: XmppStream): Inviting {
  const open = new Map<string, { to: string; fail: (fault: DriverError) => void }>();

  const give = async (stanza: Element, to: string, signal: AbortSignal): Promise<void> => {
    const id = String(stanza.attrs['id']);
    const refused = Promise.withResolvers<never>();
    refused.promise.catch(() => {}); // where the acknowledgement came first
    open.set(id, { to, fail: refused.reject });
    const acknowledged = stream.sendAcknowledged(stanza, signal);
    acknowledged.catch(() => {}); // where the refusal came first
    try {
      await Promise.race([refused.promise, acknowledged]);
    } finally {
      open.delete(id);
    }
  };

  return {
    async invite(room, person, signal) {
      // The room's answer says whether the account may; the person's server's, whether there is somebody.
      await give(mediatedInvite(room.address, newServiceId(), person), room.address, signal);
      try {
        await give(directInvite(room.address, newServiceId(), person, room.known.password), person, signal);
      } catch (error) {
        const isNobody =
          error instanceof DriverError && ['service_unavailable', 'item_not_found'].includes(error.code);
        throw isNobody
          ? new DriverError(
              'rejected',
              'recipient_unknown',
              'Nobody has that address, or it takes nothing from the account.',
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
      sent.fail(stanzaFault(stanza));
      return true;
    },
  };
}
