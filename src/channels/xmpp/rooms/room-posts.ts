/**
 * Messages sent to a room that it has not reflected yet. The reflection is the acknowledgment and carries the room's
 * ID.
 */
import type { Element } from '@xmpp/xml';
import type { SendResult } from '../../contract/connection.ts';
import type { DriverError } from '../../contract/driver-error.ts';
import { unknown } from '../wire/errors.ts';
import type { XmppStream } from '../session/stream.ts';

export interface RoomPosts {
  /** @param stanza has a unique ID. @throws DriverError */
  post(stanza: Element, signal: AbortSignal): Promise<SendResult>;
  isPosted(id: string): boolean;
  onShown(id: string, stanzaId: string | null): void;
  onRefused(id: string, fault: DriverError): void;
  /** Called when the account is no longer in the room. Pending messages may have been accepted. */
  end(): void;
}

export function createRoomPosts(stream: XmppStream): RoomPosts {
  const open = new Map<string, PromiseWithResolvers<SendResult>>();
  return {
    async post(stanza, signal) {
      const id = String(stanza.attrs['id']);
      const shown = Promise.withResolvers<SendResult>();
      shown.promise.catch(() => {}); // if writing fails first
      const onAbort = (): void => shown.reject(unknown('The group did not show the message in time.'));
      open.set(id, shown);
      signal.addEventListener('abort', onAbort);
      try {
        signal.throwIfAborted();
        await stream.send(stanza);
        return await shown.promise;
      } finally {
        signal.removeEventListener('abort', onAbort);
        if (open.get(id) === shown) open.delete(id);
      }
    },
    isPosted: (id) => open.has(id),
    onShown(id, stanzaId) {
      open.get(id)?.resolve({ externalId: stanzaId, status: 'sent', at: new Date() });
    },
    onRefused(id, fault) {
      open.get(id)?.reject(fault);
    },
    end() {
      for (const { reject } of open.values())
        reject(unknown('The account came out of the group before it showed the message.'));
    },
  };
}
