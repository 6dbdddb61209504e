/**
 * How far folders were read: UIDVALIDITY and the last UID of each. Where UIDVALIDITY has changed, UIDs mean nothing any
 * more: then all that came since a little before the last reading is read again, and known by its Message-ID.
 */
import type { ImapFlow, SearchObject } from 'imapflow';
import type { Json } from '../contract/json.ts';

/** Servers' clocks differ, and SEARCH SINCE knows days only. */
const READ_AGAIN_MS = 2 * 86_400_000;
/** Mails per search: responses are limited, and a UID takes up to 11 bytes. */
const SEARCHED_AT_ONCE = 50_000;
/** Servers bound the length of a command. */
const NAMED_AT_ONCE = 500;

interface FolderPosition {
  [name: string]: Json;
  uid_validity: string;
  uid: number;
  /** When it was last read. */
  read_at: string;
}

export interface Position {
  [name: string]: Json;
  /** Mail from before is not read. */
  since: string;
  folders: Record<string, FolderPosition>;
  /** The mail at whose reading the connection was lost, and how often. */
  stuck: { folder: string; uid: number; times: number } | null;
}

export const readPosition = (saved: Json, since: Date): Position =>
  (saved as Position | null) ?? { since: since.toISOString(), folders: {}, stuck: null };

/** The position with one folder's changed. */
export const movedTo = (position: Position, folder: string, validity: bigint, uid: number): Position => ({
  since: position.since,
  stuck: null,
  folders: {
    ...position.folders,
    [folder]: { uid_validity: String(validity), uid, read_at: new Date().toISOString() },
  },
});

/** The position of one that lost its connection while it read this mail. */
export const stuckAt = (position: Position, folder: string, uid: number, times: number): Position => ({
  ...position,
  stuck: { folder, uid, times },
});

export const timesStuck = ({ stuck }: Position, folder: string, uid: number): number =>
  stuck?.folder === folder && stuck.uid === uid ? stuck.times : 0;

/**
 * The UIDs to be read, in their order.
 * @param client has the folder selected
 */
export async function unreadUids(client: ImapFlow, folder: string, position: Position): Promise<number[]> {
  await client.noop(); // a folder that stays selected need not show what is new before that
  const mailbox = client.mailbox;
  if (!mailbox) return [];
  const known = position.folders[folder];
  if (known?.uid_validity === String(mailbox.uidValidity)) {
    const uids = new Set<number>();
    for await (const found of searchBackwards(client, { uid: `${known.uid + 1}:*` })) {
      // `n:*` has the last mail always.
      const unread = found.filter((uid) => uid > known.uid);
      for (const uid of unread) uids.add(uid);
      if (unread.length < SEARCHED_AT_ONCE) break; // all before are older still
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
    // Nothing found is an empty list; anything else is a refusal.
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
