/**
 * Sends messages, and changes to existing messages. A call resolves once the server has acknowledged the stanza; an
 * error that arrives before that rejects it. Later errors are handled by inbound.ts.
 */
import type { Element } from '@xmpp/xml';
import type { ChatRef, Connection, MessageRef, OutboundMessage, SendResult } from '../contract/connection.ts';
import { DriverError } from '../contract/driver-error.ts';
import { parseJid, readBare } from './wire/address.ts';
import { getAttribute, idIn } from './stanza/elements.ts';
import { readStanzaError } from './stanza/stanza-error.ts';
import type { Target } from './stanza/target.ts';
import { writeCorrection, writeDisplayed, writeReaction, writeRetraction } from './stanza/write-change.ts';
import { getName, writeMessage } from './stanza/write-message.ts';
import type { StanzaHandler, XmppStream } from './session/stream.ts';
import type { Upload } from './upload.ts';

/** The part of `Rooms` that sending needs. */
export interface SendingRooms {
  isRoom(bare: string): boolean;
  /** Resolves with the room's ID of the message once the room has it. @throws DriverError */
  send(message: OutboundMessage, stanza: Element, signal: AbortSignal): Promise<SendResult>;
}

export interface SendingDeps {
  stream: XmppStream;
  upload: Upload;
  rooms: SendingRooms;
}

export interface Sending extends Required<
  Pick<Connection, 'send' | 'edit' | 'revoke' | 'react' | 'markRead'>
> {
  /** Handles errors about stanzas that are being sent. Called before the handler of inbound.ts. */
  handle: StanzaHandler;
}

const unnamed = (): DriverError =>
  new DriverError(
    'rejected',
    'message_unknown',
    'The channel does not know this message by an ID that Fairlead assigned.',
  );

export function createSending({ stream, upload, rooms }: SendingDeps): Sending {
  const { account, domain } = stream;
  /** Pending stanzas by their IDs. */
  const pending = new Map<string, { to: string; reject: (fault: DriverError) => void }>();

  const getTarget = ({ kind, address }: ChatRef): Target => {
    const jid = parseJid(address);
    const isOccupant =
      kind === 'direct' && jid?.resource != null && rooms.isRoom(readBare(address) ?? address);
    return { address, kind, isOccupant };
  };

  const give = async (stanza: Element, signal: AbortSignal): Promise<void> => {
    const id = getAttribute(stanza, 'id')!;
    const refused = Promise.withResolvers<never>();
    refused.promise.catch(() => undefined); // if the acknowledgement comes first
    pending.set(id, { to: getAttribute(stanza, 'to')!, reject: refused.reject });
    const acknowledged = stream.sendAcknowledged(stanza, signal);
    acknowledged.catch(() => undefined); // if the rejection comes first
    try {
      await Promise.race([refused.promise, acknowledged]);
    } finally {
      pending.delete(id);
    }
  };
  const tell = (
    chat: ChatRef,
    name: string | null,
    write: (target: Target, name: string) => Element,
    signal: AbortSignal,
  ): Promise<void> => {
    if (name === null) throw unnamed();
    return give(write(getTarget(chat), name), signal);
  };
  /** Returns the ID that the message's writer chose, because corrections can only name that. */
  const getWritersName = ({ kind }: ChatRef, message: MessageRef): string | null =>
    message.clientId ?? (kind === 'group' ? null : message.externalId);

  return {
    handle(stanza) {
      if (stanza.getName() !== 'message' || getAttribute(stanza, 'type') !== 'error') return false;
      const id = idIn(stanza);
      const sent = id === null ? undefined : pending.get(id);
      if (!sent) return false;
      const from = getAttribute(stanza, 'from');
      const bare = from === null ? account : readBare(from);
      // The ID is secret, but errors are accepted only from these addresses in any case.
      if (bare === null || ![readBare(sent.to), account, domain].includes(bare)) return false;
      sent.reject(readStanzaError(stanza));
      return true;
    },
    async send(message, signal) {
      const { file } = message.content;
      const shared = file && (await upload(file, signal));
      const stanza = writeMessage(message, getTarget(message.chat), shared);
      if (message.chat.kind === 'group') return rooms.send(message, stanza, signal);
      await give(stanza, signal);
      return { externalId: message.clientId, status: 'sent', at: new Date() };
    },
    async edit(chat, message, text, signal) {
      await tell(chat, getWritersName(chat, message), (to, id) => writeCorrection(to, id, text), signal);
    },
    async revoke(chat, message, signal) {
      await tell(chat, getName(message, chat.kind), writeRetraction, signal);
    },
    async react(chat, message, emoji, signal) {
      await tell(chat, getName(message, chat.kind), (to, id) => writeReaction(to, id, emoji), signal);
    },
    async markRead(chat, message, signal) {
      await tell(chat, getName(message, chat.kind), writeDisplayed, signal);
    },
  };
}
