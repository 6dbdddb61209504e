/**
 * What became of a message whose acknowledgement never came: the archive of the account, or of the room, has it or not.
 * From the newest entry back, because it was tried a short time ago, to the time at which its ID was made.
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
/** Clocks differ. */
const MARGIN_MS = 600_000;
const MAX_PREFERENCES = 1_000;

export interface LookupDeps {
  stream: XmppStream;
  /** The account's own; null where its server keeps none. */
  archive: Archive | null;
  /** A room's; null where it keeps none, or doesn't let the account read it. */
  getArchive(room: string): Promise<Archive | null>;
}

/** Whether the account's archive keeps all that goes to an address, as far as the server says (its preferences). */
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
    // A server without preferences keeps everything.
    if (error instanceof DriverError && error.kind === 'rejected') return true;
    throw error;
  }
}

const isOurs = ({ stanza }: ArchivedStanza, clientId: string, account: string, isRoom: boolean): boolean => {
  const origin = getChild(stanza, 'origin-id', NS.sid);
  if (idIn(stanza) !== clientId && (!origin || idIn(origin) !== clientId)) return false;
  // Of a room, whoever has the ID got it from our message there.
  return isRoom || readBare(getAttribute(stanza, 'from')) === account;
};

/** What others call it. Names of ours have a space: a room must not be able to call a message by one of another chat's. */
const getName = ({ id }: ArchivedStanza, clientId: string, isRoom: boolean): string | null => {
  if (!isRoom) return clientId;
  return /\s/.test(id) ? null : id;
};

/**
 * @returns null where the archive never got it; `unknown` where there is none that would have it, or that the account may
 *   read
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
