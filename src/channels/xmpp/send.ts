/**
 * What the account says: messages, and what it does with messages that are there. Resolved once the server has said that it
 * took the stanza; an error that comes before that is the answer to it. One that comes later is for inbound.ts.
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

/** What sending needs of rooms. */
export interface SendingRooms {
  isRoom(bare: string): boolean;
  /** Resolves with what the room calls it, once it has it. @throws DriverError */
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
  /** Takes errors about what is just being sent. Is asked before inbound.ts is. */
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
  /** By the ID that a stanza has. */
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
    refused.promise.catch(() => undefined); // where the acknowledgement came first
    pending.set(id, { to: getAttribute(stanza, 'to')!, reject: refused.reject });
    const acknowledged = stream.sendAcknowledged(stanza, signal);
    acknowledged.catch(() => undefined); // where the refusal came first
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
  /** By what its writer called it: that alone is what corrections name. */
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
      // Nobody else knows the ID; but then nobody else has a say in it either.
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
