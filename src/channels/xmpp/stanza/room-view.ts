/** Context for reading a room's messages: occupants by nick, and what the room guarantees. */
import type { Element } from '@xmpp/xml';

export interface RoomAuthor {
  /** The real address if the room shows it, else `room@service/nick`; the account's own for its own occupant. */
  readonly address: string;
  /** The nick; null for the room itself. */
  readonly name: string | null;
  /** Whether the room shows that the account itself wrote it. Never depends on what the sender chose. */
  readonly isMe: boolean;
  /**
   * Whether the account may have written it, judging by values that any sender can choose, because the room doesn't
   * show the author.
   */
  readonly mayBeMe?: boolean;
  /**
   * A key that identifies one person in this room under any nick, so that corrections and retractions apply only to
   * their writer's messages. null if the room can't identify the person, whose changes are then ignored.
   */
  readonly key: string | null;
}

export interface RoomView {
  /** The chat's key and address, bare and normalized. */
  readonly address: string;
  /** The room's title. */
  readonly title: string | null;
  /**
   * Returns the author of a groupchat message.
   * @param isArchived whether it is from the archive, so that another person may have its nick now
   */
  author(stanza: Element, isArchived: boolean): RoomAuthor;
  /** Returns a present occupant's address by nick, for mentions; null if no occupant has that nick. */
  getAddress(nick: string): string | null;
}
