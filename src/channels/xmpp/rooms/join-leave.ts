/** Joins rooms, and leaves them permanently. */
import xml from '@xmpp/xml';
import { DriverError } from '../../contract/driver-error.ts';
import type { RoomPosition } from '../session/position.ts';
import type { XmppStream } from '../session/stream.ts';
import { unreachable } from './joining.ts';
import { adminItem, type Affiliation, joinPresence, MUC } from './muc.ts';
import { nickAt } from './room-address.ts';
import { within } from './within.ts';

/** How long entering or leaving a room may take. */
export const ENTER_MS = 20_000;
const MAX_NICKS = 10;
/** Allowed difference between our clock and the server's. */
const SKEW_MS = 120_000;

/** Returns the time from which history is requested; null for no history. */
export const getSince = (position: RoomPosition | undefined): Date | null =>
  position?.heardAt ? new Date(Date.parse(position.heardAt) - SKEW_MS) : null;

/**
 * Enters a room under the wanted nick, or with a number added if the nick is taken.
 * @param entry `since` is the time from which history is sent; null for none
 * @param awaited called before each attempt; resolves with whether the room was created
 * @throws DriverError
 */
export async function enterAs(
  stream: XmppStream,
  room: string,
  entry: { nick: string; password: string | null; since: Date | null },
  signal: AbortSignal | undefined,
  awaited: (nick: string) => Promise<boolean>,
): Promise<boolean> {
  for (let turn = 0; ; turn++) {
    const nick = nickAt(entry.nick, turn);
    const entered = awaited(nick);
    entered.catch(() => {}); // if writing fails first
    await stream.send(joinPresence(`${room}/${nick}`, entry));
    try {
      return await within(entered, ENTER_MS, signal, unreachable);
    } catch (error) {
      const isTaken = error instanceof DriverError && error.code === 'conflict';
      if (!isTaken || turn === MAX_NICKS) throw error;
    }
  }
}

/**
 * Removes the account from the room's lists, as far as the room permits: members can remove themselves, and one of
 * several owners can.
 */
export async function leavePermanently(
  stream: XmppStream,
  room: string,
  affiliation: Affiliation | null,
  signal: AbortSignal,
): Promise<void> {
  if (affiliation === 'none') return;
  const payload =
    affiliation === 'member'
      ? xml('query', { xmlns: MUC.register }, xml('remove'))
      : adminItem({ jid: stream.account, affiliation: 'none' });
  await stream.ask({ to: room, type: 'set', payload }, signal).catch((error: unknown) => {
    if (!(error instanceof DriverError) || error.kind === 'lost') throw error;
  });
}

/** Pings the account's own occupant in a room (XEP-0410). @returns false only if the room says that there is none */
export async function isStillIn(stream: XmppStream, occupant: string): Promise<boolean> {
  try {
    await stream.ask({ to: occupant, type: 'get', payload: xml('ping', { xmlns: MUC.ping }) });
    return true;
  } catch (error) {
    const saysNo =
      error instanceof DriverError &&
      error.kind === 'rejected' &&
      ['not_acceptable', 'item_not_found'].includes(error.code);
    return !saysNo;
  }
}
