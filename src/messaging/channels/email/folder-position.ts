/**
 * How far folders were read: UIDVALIDITY and the last UID of each. Where UIDVALIDITY has changed, UIDs mean nothing any
 * more: then all that came since a little before the last reading is read again, and known by its Message-ID.
 */
import type { ImapFlow } from 'imapflow';
import type { Json } from '../json.ts';

/** Servers' clocks differ, and SEARCH SINCE knows days only. */
const READ_AGAIN_MS = 2 * 86_400_000;

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
    // `n:*` has the last mail always.
    const found = await client.search({ uid: `${known.uid + 1}:*` }, { uid: true });
    return sorted(found).filter((uid) => uid > known.uid);
  }
  const since = Date.parse(position.since);
  const from = known ? Math.max(since, Date.parse(known.read_at) - READ_AGAIN_MS) : since;
  const found = await client.search({ since: new Date(from - READ_AGAIN_MS / 2) }, { uid: true });
  const uids: number[] = [];
  for await (const { uid, internalDate } of fetchDates(client, sorted(found)))
    if (!(internalDate instanceof Date) || internalDate.getTime() >= from) uids.push(uid);
  return uids.toSorted((a, b) => a - b);
}

/** Nothing found is an empty list; anything else is a refusal. */
function sorted(found: number[] | false | undefined): number[] {
  if (!found) throw new Error('The server does not search the folder.');
  return found.toSorted((a, b) => a - b);
}

async function* fetchDates(client: ImapFlow, uids: number[]) {
  if (uids.length > 0) yield* client.fetch(uids.join(','), { uid: true, internalDate: true }, { uid: true });
}
