/** Where hearing goes on: IDs of archives, which only move on what was told. */
import type { Json } from '../../contract/json.ts';

export interface XmppPosition {
  /**
   * Of the newest entry of the account's own archive that was taken in. null before it was looked at; empty: the archive
   * was empty then, so that all that is in it is new.
   */
  archive: string | null;
  /** When that came, by the server's clock where it says: RFC 3339. For archives that have forgotten the entry. */
  archiveAt?: string | null;
  /**
   * The archive could not be read, so that what it has behind that entry may have been told as it came live, without the
   * archive's names.
   */
  isToldLive?: boolean;
  /** Rooms that the account is in, by bare address, and the newest entry of each one's archive that was taken in. */
  rooms: Record<string, RoomPosition>;
}

export interface RoomPosition {
  /** null before it was looked at; empty: the archive was empty then, so that all that is in it is new. */
  archive: string | null;
  /** What the account was called there last. */
  nick: string;
  /** What it is entered with, where it asks for that. */
  password?: string | null;
  /** Of the newest message, where the room keeps no archive: RFC 3339. */
  heardAt?: string | null;
}

const isObject = (value: Json | undefined): value is Record<string, Json> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const textOrNull = (value: Json | undefined): string | null => (typeof value === 'string' ? value : null);

const readRoom = (value: Record<string, Json>): RoomPosition => ({
  archive: textOrNull(value['archive']),
  nick: textOrNull(value['nick']) ?? '',
  password: textOrNull(value['password']),
  heardAt: textOrNull(value['heardAt']),
});

export function readPosition(given: Json): XmppPosition {
  const { archive, archiveAt, isToldLive, rooms } = isObject(given) ? given : {};
  const entries = Object.entries(isObject(rooms) ? rooms : {}).flatMap(([room, value]) =>
    isObject(value) ? [[room, readRoom(value)] as const] : [],
  );
  return {
    archive: textOrNull(archive),
    archiveAt: textOrNull(archiveAt),
    isToldLive: isToldLive === true,
    rooms: Object.fromEntries(entries),
  };
}

export const writePosition = ({
  archive,
  archiveAt = null,
  isToldLive = false,
  rooms,
}: XmppPosition): Json => ({
  archive,
  archiveAt,
  ...(isToldLive && { isToldLive }),
  rooms: Object.fromEntries(
    Object.entries(rooms).map(([room, { archive: entry, nick, password = null, heardAt = null }]) => [
      room,
      { archive: entry, nick, password, heardAt },
    ]),
  ),
});
