/** Where hearing goes on: ids of archives, which only move on what was told. */
import type { Json } from '../json.ts';

export interface XmppPosition {
  /** Of the newest entry of the account's own archive that was taken in; null before the first. */
  archive: string | null;
  /** Rooms that the account is in, by bare address, and the newest entry of each one's archive that was taken in. */
  rooms: Record<string, { archive: string | null; nick: string }>;
}

const isObject = (value: Json | undefined): value is Record<string, Json> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const textOrNull = (value: Json | undefined): string | null => (typeof value === 'string' ? value : null);

export function readPosition(given: Json): XmppPosition {
  const { archive, rooms } = isObject(given) ? given : {};
  const entries = Object.entries(isObject(rooms) ? rooms : {}).flatMap(([room, value]) =>
    isObject(value)
      ? [[room, { archive: textOrNull(value['archive']), nick: textOrNull(value['nick']) ?? '' }] as const]
      : [],
  );
  return { archive: textOrNull(archive), rooms: Object.fromEntries(entries) };
}

export const writePosition = ({ archive, rooms }: XmppPosition): Json => ({ archive, rooms: { ...rooms } });
