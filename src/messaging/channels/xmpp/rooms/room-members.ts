/** Who may be in a room and what each may do there, changed one after the other (XEP-0045, 9 and 10). */
import type { ParticipantAction, ParticipantOutcome } from '../../connection.ts';
import { DriverError } from '../../driver-error.ts';
import { readBare } from '../address.ts';
import type { XmppStream } from '../stream.ts';
import type { Inviting } from './inviting.ts';
import { adminItem, type Affiliation } from './muc.ts';
import { notAllowed } from './room-config.ts';
import { askList } from './room-info.ts';
import type { Room } from './room.ts';

export interface MembersDeps {
  stream: XmppStream;
  inviting: Inviting;
}

const outcome = (address: string, error: unknown): ParticipantOutcome => {
  const fault = notAllowed(error);
  if (!(fault instanceof DriverError) || (fault.kind !== 'rejected' && fault.kind !== 'busy')) throw error;
  if (fault.code === 'conflict')
    return {
      address,
      error: { code: 'last_owner', detail: 'A group keeps at least one owner.' },
    };
  return { address, error: { code: fault.code, detail: fault.message } };
};

const notThere = (): DriverError =>
  new DriverError('rejected', 'not_a_participant', 'Nobody of that address is in the group.');

/** @throws DriverError rejected `not_allowed`, where none of it may be done */
export async function changeMembers(
  { stream, inviting }: MembersDeps,
  room: Room,
  action: ParticipantAction,
  addresses: readonly string[],
  signal: AbortSignal,
): Promise<ParticipantOutcome[]> {
  const { census, address: at } = room;
  const set = async (item: Parameters<typeof adminItem>[0]): Promise<void> => {
    await stream.ask({ to: at, type: 'set', payload: adminItem(item) }, signal);
  };
  /** By the real address; of somebody who is shown by a nick alone, the room knows the address. */
  const affiliate = (address: string, affiliation: Affiliation): Promise<void> =>
    set(
      address.startsWith(`${at}/`)
        ? { nick: address.slice(at.length + 1), affiliation }
        : { jid: address, affiliation },
    );
  const isIn = (address: string): boolean =>
    census.nicksOf(address).length > 0 || !['none', 'outcast'].includes(census.affiliationOf(address));
  const banned =
    action === 'add' || action === 'unban'
      ? new Set(await askList(stream, at, 'outcast', signal).catch((error: unknown) => readable(error)))
      : new Set<string>();

  const work: Record<ParticipantAction, (address: string) => Promise<void>> = {
    async add(address) {
      const person = readBare(address) ?? address;
      if (banned.has(person))
        throw new DriverError('rejected', 'banned', 'The person is banned from the group; lift that first.');
      if (!isIn(person) || census.affiliationOf(person) === 'none') await affiliate(person, 'member');
      if (census.nicksOf(person).length > 0) return;
      try {
        await inviting.invite(room, person, signal);
      } catch (error) {
        if (error instanceof DriverError && error.kind === 'rejected') await affiliate(person, 'none');
        throw error;
      }
    },
    async remove(address) {
      const nicks = census.nicksOf(address);
      // Whom nobody told us of may be in it all the same, and whether it may be done the room says.
      if (nicks.length === 0 || census.affiliationOf(address) !== 'none') await affiliate(address, 'none');
      // Without its affiliation a members-only room puts it out itself.
      for (const nick of nicks)
        await set({ nick, role: 'none' }).catch((error: unknown) => {
          if (!(error instanceof DriverError) || error.code !== 'item_not_found') throw error;
        });
    },
    async promote(address) {
      if (!isIn(address)) throw notThere();
      if (!['owner', 'admin'].includes(census.affiliationOf(address))) await affiliate(address, 'admin');
    },
    async demote(address) {
      if (!isIn(address)) throw notThere();
      if (['owner', 'admin'].includes(census.affiliationOf(address))) await affiliate(address, 'member');
    },
    ban: (address) => affiliate(address, 'outcast'),
    async unban(address) {
      if (banned.has(address)) await affiliate(address, 'none');
    },
  };

  const outcomes: ParticipantOutcome[] = [];
  for (const address of addresses) {
    try {
      await work[action](address);
      outcomes.push({ address, error: null });
    } catch (error) {
      outcomes.push(outcome(address, error));
    }
  }
  const isNone = outcomes.length > 0 && outcomes.every(({ error }) => error?.code === 'not_allowed');
  if (isNone) throw notAllowed(new DriverError('rejected', 'forbidden', ''));
  return outcomes;
}

/** Who may not see who is banned may not change it either, which each change says. */
function readable(error: unknown): string[] {
  if (error instanceof DriverError && error.kind === 'rejected') return [];
  throw error;
}
