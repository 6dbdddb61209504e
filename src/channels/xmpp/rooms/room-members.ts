/**
 * Changes who may be in a room and what each person may do there, one person at a time (XEP-0045, 9 and 10).
 *
 * Invariant: servers reject the same request with different conditions, so the state of the room decides: a rejection
 * is not a failure if the room already is as the caller wants it.
 */
import type { ParticipantAction, ParticipantOutcome } from '../../contract/connection.ts';
import { DriverError } from '../../contract/driver-error.ts';
import { readBare } from '../wire/address.ts';
import type { XmppStream } from '../session/stream.ts';
import type { Inviting } from './inviting.ts';
import { adminItem, type Affiliation } from './muc.ts';
import { isNotAllowed, notAllowed } from './room-config.ts';
import { askList } from './room-info.ts';
import type { Room } from './room.ts';

export interface MembersDeps {
  stream: XmppStream;
  inviting: Inviting;
}

const isRefusal = (error: unknown): error is DriverError =>
  error instanceof DriverError && (error.kind === 'rejected' || error.kind === 'busy');

const notThere = (): DriverError =>
  new DriverError('rejected', 'not_a_participant', 'This address is not in the group.');
const lastOwner = (): DriverError =>
  new DriverError('rejected', 'last_owner', 'A group must have at least one owner.');

/** @throws DriverError rejected `not_allowed` if no change is allowed */
export async function changeMembers(
  { stream, inviting }: MembersDeps,
  room: Room,
  action: ParticipantAction,
  addresses: readonly string[],
  signal: AbortSignal,
): Promise<ParticipantOutcome[]> {
  const { occupants, address: at } = room;
  const set = async (item: Parameters<typeof adminItem>[0]): Promise<void> => {
    await stream.ask({ to: at, type: 'set', payload: adminItem(item) }, signal);
  };
  /** Returns the nick of an occupant whose real address the room hides; null for a real address. */
  const getNick = (address: string): string | null =>
    address.startsWith(`${at}/`) ? address.slice(at.length + 1) : null;
  const isPresent = (address: string): boolean => occupants.getNicks(address).length > 0;
  const isIn = (address: string): boolean =>
    isPresent(address) || !['none', 'outcast'].includes(occupants.getAffiliation(address));

  const affiliate = async (address: string, affiliation: Affiliation): Promise<void> => {
    const nick = getNick(address);
    if (nick !== null && !isPresent(address)) throw notThere();
    await set(nick === null ? { jid: address, affiliation } : { nick, affiliation });
  };
  /** Removes the affiliation, which makes a members-only room remove the person as well. */
  const disaffiliate = (address: string): Promise<void> =>
    affiliate(address, 'none').catch((error: unknown) => {
      // A person whom the account can't see may be in the room, so only the room knows whether the change is allowed.
      if (!isRefusal(error) || isNotAllowed(error) || isIn(address)) throw error;
    });
  const kick = (address: string, nick: string): Promise<void> =>
    set({ nick, role: 'none' }).catch((error: unknown) => {
      if (!isRefusal(error) || occupants.getNicks(address).includes(nick)) throw error;
    });

  /** null if the account may not read the list. */
  const banned =
    action === 'add' || action === 'unban'
      ? await askList(stream, at, 'outcast', signal).catch((error: unknown) => {
          if (error instanceof DriverError && error.kind === 'rejected') return null;
          throw error;
        })
      : null;

  const work: Record<ParticipantAction, (address: string) => Promise<void>> = {
    async add(address) {
      const person = readBare(address) ?? address;
      if (banned?.includes(person))
        throw new DriverError('rejected', 'banned', 'The person is banned from the group. Unban them first.');
      if (!isIn(person) || occupants.getAffiliation(person) === 'none') await affiliate(person, 'member');
      if (isPresent(person)) return;
      try {
        await inviting.invite(room, person, signal);
      } catch (error) {
        if (error instanceof DriverError && error.kind === 'rejected') await affiliate(person, 'none');
        throw error;
      }
    },
    async remove(address) {
      if (!isPresent(address) || occupants.getAffiliation(address) !== 'none') await disaffiliate(address);
      for (const nick of occupants.getNicks(address)) await kick(address, nick);
    },
    async promote(address) {
      if (!isIn(address)) throw notThere();
      if (!['owner', 'admin'].includes(occupants.getAffiliation(address))) await affiliate(address, 'admin');
    },
    async demote(address) {
      if (!isIn(address)) throw notThere();
      if (['owner', 'admin'].includes(occupants.getAffiliation(address))) await affiliate(address, 'member');
    },
    ban: (address) => affiliate(address, 'outcast'),
    async unban(address) {
      if (banned === null || banned.includes(address)) await affiliate(address, 'none');
    },
  };

  /** Whether the account is the last owner. Owners see all owners, so it is if it sees no other. */
  const isLastOwner = (address: string): boolean =>
    address === stream.account &&
    occupants.getAffiliation(address) === 'owner' &&
    occupants.all().every(({ address: other, role }) => other === address || role !== 'owner');
  const getOutcome = (address: string, error: unknown): ParticipantOutcome => {
    if (!isRefusal(error)) throw error;
    const fault =
      error.code === 'conflict' || isLastOwner(address) ? lastOwner() : (notAllowed(error) as DriverError);
    return { address, error: { code: fault.code, detail: fault.message } };
  };

  const outcomes: ParticipantOutcome[] = [];
  for (const address of addresses) {
    try {
      await work[action](address);
      outcomes.push({ address, error: null });
    } catch (error) {
      outcomes.push(getOutcome(address, error));
    }
  }
  const isNone = outcomes.length > 0 && outcomes.every(({ error }) => error?.code === 'not_allowed');
  if (isNone) throw notAllowed(new DriverError('rejected', 'forbidden', ''));
  return outcomes;
}
