/** The position from which receiving resumes: archive IDs, which only move past emitted entries. */
import type { Json } from '../../contract/json.ts';

export interface XmppPosition {
  /**
   * The ID of the newest stored entry of the account's own archive. null before the archive was first read. Empty if
   * the archive was empty then, so that everything in it is new.
   */
  archive: string | null;
  /**
   * When that entry arrived, by the server's clock if it gives a time (RFC 3339). Used if the archive has deleted the
   * entry.
   */
  archiveAt?: string | null;
  /**
   * Whether the archive could not be read, so that its entries after that one may have been emitted live, without the
   * archive's IDs.
   */
  isToldLive?: boolean;
  /** Rooms that the account is in, by bare address, with their own positions. */
  rooms: Record<string, RoomPosition>;
}

export interface RoomPosition {
  /**
   * The newest stored entry of the room's archive. null before the archive was first read. Empty if the archive was
   * empty then, so that everything in it is new.
   */
  archive: string | null;
  /** The account's last nick in the room. */
  nick: string;
  /** The password for entering, if the room requires one. */
  password?: string | null;
  /** The time of the newest message if the room keeps no archive (RFC 3339). */
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
