/**
 * Looks up a message that was never acknowledged in the archive of the account or the room. The search goes back from
 * the newest entry, because the message was sent recently, to the time at which its ID was made.
 */
import xml from '@xmpp/xml';
import type { ChatRef, SendResult } from '../contract/connection.ts';
import { DriverError } from '../contract/driver-error.ts';
import { readBare } from './wire/address.ts';
import type { Archive, ArchivedStanza } from './session/archive.ts';
import { getAttribute, getChild, idIn } from './stanza/elements.ts';
import { timeOfClientId } from './stanza/names.ts';
import { NS } from './stanza/namespaces.ts';
import type { XmppStream } from './session/stream.ts';

const PAGE = 50;
const MAX_PAGES = 100;
/** Allowed difference between clocks. */
const MARGIN_MS = 600_000;
const MAX_PREFERENCES = 1_000;

export interface LookupDeps {
  stream: XmppStream;
  /** The account's own archive; null if its server keeps none. */
  archive: Archive | null;
  /** Returns a room's archive; null if it keeps none, or doesn't let the account read it. */
  getArchive(room: string): Promise<Archive | null>;
}

/** Whether the account's archive stores all messages to an address, according to its preferences. */
async function keepsAll(stream: XmppStream, address: string, signal: AbortSignal): Promise<boolean> {
  const listed = (list: ReturnType<typeof getChild>): boolean =>
    list
      ?.getChildren('jid')
      .slice(0, MAX_PREFERENCES)
      .some((jid) => readBare(jid.getText().trim()) === address) ?? false;
  try {
    const prefs = await stream.ask(
      { to: null, type: 'get', payload: xml('prefs', { xmlns: NS.mam }) },
      signal,
    );
    if (!prefs || listed(getChild(prefs, 'never', NS.mam))) return false;
    return getAttribute(prefs, 'default') === 'always' || listed(getChild(prefs, 'always', NS.mam));
  } catch (error) {
    // A server without preferences stores everything.
    if (error instanceof DriverError && error.kind === 'rejected') return true;
    throw error;
  }
}

const isOurs = ({ stanza }: ArchivedStanza, clientId: string, account: string, isRoom: boolean): boolean => {
  const origin = getChild(stanza, 'origin-id', NS.sid);
  if (idIn(stanza) !== clientId && (!origin || idIn(origin) !== clientId)) return false;
  // In a room, others can only have the ID from our message there.
  return isRoom || readBare(getAttribute(stanza, 'from')) === account;
};

/**
 * Returns the ID that others use. Our own names contain a space, and a room must not be able to give a message the name
 * of one in another chat.
 */
const getName = ({ id }: ArchivedStanza, clientId: string, isRoom: boolean): string | null => {
  if (!isRoom) return clientId;
  return /\s/.test(id) ? null : id;
};

/**
 * @returns null if the archive does not have it; `unknown` if there is no archive that would store it and that the
 *   account may read
 * @throws DriverError lost, busy or unknown
 */
export async function lookUp(
  deps: LookupDeps,
  clientId: string,
  chat: ChatRef,
  signal: AbortSignal,
): Promise<SendResult | 'unknown' | null> {
  try {
    return await search(deps, clientId, chat, signal);
  } catch (error) {
    if (error instanceof DriverError && error.kind === 'rejected') return 'unknown';
    throw error;
  }
}

async function search(
  { stream, archive: own, getArchive: archiveOf }: LookupDeps,
  clientId: string,
  { kind, address }: ChatRef,
  signal: AbortSignal,
): Promise<SendResult | 'unknown' | null> {
  const isRoom = kind === 'group';
  const archive = isRoom ? await archiveOf(address) : own;
  const made = timeOfClientId(clientId);
  if (!archive || made === null) return 'unknown';
  const start = new Date(made.getTime() - MARGIN_MS);
  const whom = isRoom ? {} : { with: address };
  let before = '';
  for (let nth = 0; nth < MAX_PAGES; nth++) {
    const { entries, isComplete, first } = await archive.page({ before, start, max: PAGE, ...whom }, signal);
    const found = entries.find((entry) => isOurs(entry, clientId, stream.account, isRoom));
    if (found) return { externalId: getName(found, clientId, isRoom), status: 'sent', at: found.at };
    if (!isComplete && first !== null && first !== before) {
      before = first;
      continue;
    }
    return isRoom || (await keepsAll(stream, readBare(address) ?? address, signal)) ? null : 'unknown';
  }
  return 'unknown';
}
