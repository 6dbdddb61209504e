/** Context for reading a room's messages: occupants by nick, and what the room guarantees. */
import type { Element } from '@xmpp/xml';

export interface RoomAuthor {
  /** The real address where the room shows it, else `room@service/nick`; the account's own for its own occupant. */
  readonly address: string;
  /** The nick; null for what the room itself says. */
  readonly name: string | null;
  /** The room shows that the account itself wrote it. Never from what the stanza's writer chose. */
  readonly isMe: boolean;
  /** The room doesn't show who it was; by what the stanza's writer chose, and others may choose too, it may be the account. */
  readonly mayBeMe?: boolean;
  /**
   * The same for all that one person writes in this room, and nobody else's, whatever nicks they take: by it corrections
   * and retractions belong to their writer. null where the room can't tell who it was: then they change nothing.
   */
  readonly key: string | null;
}

export interface RoomView {
  /** Bare, normalized: the chat's key and address. */
  readonly address: string;
  /** What the room is called. */
  readonly title: string | null;
  /** Who wrote a groupchat message of this room. @param isArchived it comes from the archive: its nick may be another's by now */
  author(stanza: Element, isArchived: boolean): RoomAuthor;
  /** The present occupants' real addresses by nick, for mentions; null where there is nobody of that nick. */
  getAddress(nick: string): string | null;
}
