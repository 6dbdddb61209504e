/** The account, chat and sender of a message stanza, before its content is read. */
import type { InboundChat } from '../../contract/signal.ts';
import type { RoomView } from './room-view.ts';

export interface About {
  /** The account, bare and normalized. */
  account: string;
  /** The ID in the archive of the account or the room; null if there is none. */
  stanzaId: string | null;
  /** When it arrived, according to the server. */
  at: Date;
  /** The room of a stanza of type `groupchat`. */
  room?: RoomView | null;
  /** Whether it is from an archive. */
  isArchived?: boolean;
  /** Whether the account is in a room with that address, so that a resource is a person in it. */
  isRoom?: (bare: string) => boolean;
}

/** Adds the chat and the sender. */
export interface Spoken extends About {
  chat: InboundChat;
  from: string;
  fromName: string | null;
  fromMe: boolean;
  /** Whether the account may have written it, which only the IDs of sent messages can show. */
  mayBeOurs?: boolean;
  /** Identifies this writer among all others of the chat; null if the writer can't be identified. */
  writer: string | null;
}
