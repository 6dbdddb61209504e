/** Joins rooms, and leaves them permanently. */
import xml from '@xmpp/xml';
import { DriverError } from '../../contract/driver-error.ts';
import type { RoomPosition } from '../session/position.ts';
import type { XmppStream } from '../session/stream.ts';
import { unreachable } from './joining.ts';
import { adminItem, type Affiliation, joinPresence, MUC } from './muc.ts';
import { nickAt } from './room-address.ts';
import { within } from './within.ts';

/** For a room to let somebody in, or out. */
export const ENTER_MS = 20_000;
const MAX_NICKS = 10;
/** Of clocks, ours and the server's. */
const SKEW_MS = 120_000;

/** From when on history is asked for; null for none. */
export const getSince = (position: RoomPosition | undefined): Date | null =>
  position?.heardAt ? new Date(Date.parse(position.heardAt) - SKEW_MS) : null;

/**
 * Under the nick that is wanted, or one behind it with a number where somebody has it.
 * @param since history from then on; null for none
 * @param awaited is called before each try, and resolves with whether the room did not exist before. @throws DriverError
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
    entered.catch(() => {}); // where the writing fails first
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

/** Asks the room by the account's own place there (XEP-0410). @returns false only where the room says that there is none */
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
