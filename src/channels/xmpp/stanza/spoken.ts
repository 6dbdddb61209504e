/** The account, chat and sender of a message stanza, before its content is read. */
import type { InboundChat } from '../../contract/signal.ts';
import type { RoomView } from './room-view.ts';

export interface About {
  /** The account, bare and normalized. */
  account: string;
  /** What the archive of the account, or the room's, calls it; null where it has no such name. */
  stanzaId: string | null;
  /** When the server says that it came. */
  at: Date;
  /** For type `groupchat`. */
  room?: RoomView | null;
  /** It comes out of an archive. */
  isArchived?: boolean;
  /** Whether the account is in that room, so that a resource is a person there. */
  isRoom?: (bare: string) => boolean;
}

/** Who said it, where. */
export interface Spoken extends About {
  chat: InboundChat;
  from: string;
  fromName: string | null;
  fromMe: boolean;
  /** Nobody can tell whether the account wrote it but who knows the IDs of what it has sent. */
  mayBeOurs?: boolean;
  /** What tells this writer from all others of the chat; null where nobody can. */
  writer: string | null;
}
