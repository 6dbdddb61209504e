/**
 * State that is kept from one connection to the next: the update offset, the first messages of albums, and which groups became
 * supergroups. A group gets another ID when it becomes a supergroup; it keeps its first ID as its address here, so that its chat continues.
 */
import type { Json } from '../contract/json.ts';
import { integer, list, object, text } from './untrusted.ts';

/** Groups become supergroups once; the oldest are forgotten first. */
const MAX_MOVED = 500;
/** Messages of an album arrive together. */
const MAX_ALBUMS = 50;

export interface Position {
  /** The offset of the next `getUpdates`; null at first. Set it only after its updates are stored. */
  offset: number | null;
  /** Returns the stored ID of a chat. */
  toKnown(chatId: number): number;
  /** Returns the ID that Telegram knows now. */
  toCurrent(chatId: number): number;
  /** @returns whether this is news */
  addMoved(from: number, to: number): boolean;
  /** Returns whether a message is the first of its album, however often it is asked. */
  isFirst(album: string, externalId: string): boolean;
  /** Converts the position and an offset to the stored form. */
  toJson(offset: number | null): Json;
}

interface Stored {
  offset: number;
  moved: [number, number][];
  albums: [string, string][];
}

export function createPosition(stored: Json): Position {
  const given = object<Stored>(stored) ?? {};
  const current = new Map<number, number>();
  const known = new Map<number, number>();

  const add = (from: number, to: number): boolean => {
    const first = known.get(from) ?? from;
    if (first === to || current.get(first) === to) return false;
    current.set(first, to);
    known.set(to, first);
    for (const [oldest, moved] of current) {
      if (current.size <= MAX_MOVED) break;
      current.delete(oldest);
      known.delete(moved);
    }
    return true;
  };

  for (const pair of list(given.moved, MAX_MOVED)) {
    const [from, to] = list(pair, 2).map(integer);
    if (from && to) add(from, to);
  }
  const albums = new Map<string, string>();
  for (const pair of list(given.albums, MAX_ALBUMS)) {
    const [album, first] = list(pair, 2).map((one) => text(one, 200));
    if (album && first) albums.set(album, first);
  }
  return {
    offset: integer(given.offset),
    toKnown: (chatId) => known.get(chatId) ?? chatId,
    toCurrent: (chatId) => current.get(chatId) ?? chatId,
    addMoved: add,
    isFirst(album, externalId) {
      const first = albums.get(album) ?? externalId;
      albums.set(album, first);
      for (const oldest of albums.keys()) {
        if (albums.size <= MAX_ALBUMS) break;
        albums.delete(oldest);
      }
      return first === externalId;
    },
    toJson: (offset) => ({ offset, moved: [...current], albums: [...albums] }),
  };
}
