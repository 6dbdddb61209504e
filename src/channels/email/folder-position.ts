/**
 * Tracks how far folders were read, by UIDVALIDITY and the last UID of each. If UIDVALIDITY changes, the old UIDs are
 * meaningless: mails since shortly before the last read are then read again, and recognized by their Message-IDs.
 */
import type { ImapFlow, SearchObject } from 'imapflow';
import type { Json } from '../contract/json.ts';

/** Covers differences between clocks, and SEARCH SINCE, which has a resolution of days. */
const READ_AGAIN_MS = 2 * 86_400_000;
/** Mails per search: responses are limited, and a UID takes up to 11 bytes. */
const SEARCHED_AT_ONCE = 50_000;
/** UIDs per command, because servers limit the length of a command. */
const NAMED_AT_ONCE = 500;

interface FolderPosition {
  [name: string]: Json;
  uid_validity: string;
  uid: number;
  /** When the folder was last read. */
  read_at: string;
}

export interface Position {
  [name: string]: Json;
  /** Mails from before this time are not read. */
  since: string;
  folders: Record<string, FolderPosition>;
  /** The mail during whose reading the connection was lost, and how often. */
  stuck: { folder: string; uid: number; times: number } | null;
}

export const readPosition = (saved: Json, since: Date): Position =>
  (saved as Position | null) ?? { since: since.toISOString(), folders: {}, stuck: null };

/** Returns the position with one folder's position changed. */
export const movedTo = (position: Position, folder: string, validity: bigint, uid: number): Position => ({
  since: position.since,
  stuck: null,
  folders: {
    ...position.folders,
    [folder]: { uid_validity: String(validity), uid, read_at: new Date().toISOString() },
  },
});

/** Returns the position after the connection was lost while reading this mail. */
export const stuckAt = (position: Position, folder: string, uid: number, times: number): Position => ({
  ...position,
  stuck: { folder, uid, times },
});

export const timesStuck = ({ stuck }: Position, folder: string, uid: number): number =>
  stuck?.folder === folder && stuck.uid === uid ? stuck.times : 0;

/**
 * Returns the UIDs to be read, in order.
 * @param client has the folder selected
 */
export async function unreadUids(client: ImapFlow, folder: string, position: Position): Promise<number[]> {
  await client.noop(); // servers may not show new mails in a selected folder before this
  const mailbox = client.mailbox;
  if (!mailbox) return [];
  const known = position.folders[folder];
  if (known?.uid_validity === String(mailbox.uidValidity)) {
    const uids = new Set<number>();
    for await (const found of searchBackwards(client, { uid: `${known.uid + 1}:*` })) {
      // `n:*` always includes the last mail.
      const unread = found.filter((uid) => uid > known.uid);
      for (const uid of unread) uids.add(uid);
      if (unread.length < SEARCHED_AT_ONCE) break; // all earlier parts have only older mails
    }
    return [...uids].toSorted((a, b) => a - b);
  }
  const since = Date.parse(position.since);
  const from = known ? Math.max(since, Date.parse(known.read_at) - READ_AGAIN_MS) : since;
  const uids = new Set<number>();
  for await (const found of searchBackwards(client, { since: new Date(from - READ_AGAIN_MS / 2) }))
    for await (const { uid, internalDate } of fetchDates(client, found))
      if (!(internalDate instanceof Date) || internalDate.getTime() >= from) uids.add(uid);
  return [...uids].toSorted((a, b) => a - b);
}

/**
 * Finds mails part by part, the newest part first. A mail that moves down because an earlier one is removed is then
 * found twice instead of being missed.
 */
async function* searchBackwards(client: ImapFlow, what: SearchObject): AsyncGenerator<number[]> {
  let last = Infinity;
  for (;;) {
    last = Math.min(last, client.mailbox ? client.mailbox.exists : 0);
    if (last === 0) return;
    const first = Math.max(1, last - SEARCHED_AT_ONCE + 1);
    const found = await client.search({ seq: `${first}:${last}`, ...what }, { uid: true });
    // An empty result is an empty list, so anything else is a rejection.
    if (!found) throw new Error('The server does not search the folder.');
    yield found;
    last = first - 1;
  }
}

async function* fetchDates(client: ImapFlow, uids: number[]) {
  for (let at = 0; at < uids.length; at += NAMED_AT_ONCE) {
    const named = uids.slice(at, at + NAMED_AT_ONCE).join(',');
    yield* client.fetch(named, { uid: true, internalDate: true }, { uid: true });
  }
}
