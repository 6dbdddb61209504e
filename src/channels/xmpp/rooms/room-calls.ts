/** Group operations on rooms. Each may be repeated: an operation that is already done does not fail. */
import type { GroupCalls, GroupInfo } from '../../contract/connection.ts';
import { DriverError } from '../../contract/driver-error.ts';
import { newServiceId } from '../stanza/names.ts';
import { xmlText } from '../stanza/text.ts';
import type { XmppStream } from '../session/stream.ts';
import type { Inviting } from './inviting.ts';
import { subjectMessage } from './muc.ts';
import { fitNick, inviteUrl, madeRoom, readInvite } from './room-address.ts';
import { configure, newPassword, notAllowed } from './room-config.ts';
import { askInfo, askLists, findService } from './room-info.ts';
import { changeMembers } from './room-members.ts';
import type { Room } from './room.ts';

export interface CallsDeps {
  stream: XmppStream;
  inviting: Inviting;
  /** The wanted nick. */
  nick: string;
  /** The service for new rooms from the settings; null for the one that the server announces. */
  service: string | null;
  /** Returns the room at that address in any state; null if the account is not in it. */
  getRoom(address: string): Room | null;
  /** Creates a room to be entered. @throws DriverError rejected if there are too many */
  makeRoom(address: string): Room;
  /** Drops a room that could not be entered. */
  dropRoom(room: Room): void;
  /** Returns a room, waiting while it is being entered. @throws DriverError rejected `not_in_group`; busy */
  ready(address: string, signal: AbortSignal): Promise<Room>;
}

const toInfo = (room: Room): GroupInfo => ({
  ...room.known.about(),
  key: room.address,
  address: room.address,
  participants: room.occupants.handOut(),
});

export function createRoomCalls(deps: CallsDeps): Required<GroupCalls> {
  const { stream, inviting } = deps;

  /** Sets the subject, which is the group name that people see first. */
  const setSubject = async (room: Room, subject: string, signal: AbortSignal): Promise<void> => {
    const text = xmlText(subject);
    if (room.known.subject === text) return;
    const over = new AbortController();
    try {
      const shown = room.post(
        subjectMessage(room.address, newServiceId(), text),
        AbortSignal.any([signal, over.signal]),
      );
      // Some rooms reflect it under a different ID. A response to a later request shows that they accepted it.
      await Promise.race([shown, askInfo(stream, room.address, signal)]);
    } catch (error) {
      throw error instanceof DriverError && error.code === 'no_voice'
        ? notAllowed(new DriverError('rejected', 'forbidden', ''))
        : error;
    } finally {
      over.abort();
    }
  };
  const enterMade = async (
    room: Room,
    isConfigured: () => Promise<void>,
    signal: AbortSignal,
  ): Promise<void> => {
    const entry = { nick: fitNick(deps.nick), password: null, mayMake: true };
    try {
      await room.enter(entry, signal);
    } catch (error) {
      // A person can't be banned from a room that does not exist: some services reject its creation with this error.
      if (error instanceof DriverError && error.code === 'banned')
        throw notAllowed(new DriverError('rejected', 'forbidden', ''));
      // An earlier call created the room but ended before configuring it. Until then it is locked, even for its owner.
      if (!(error instanceof DriverError) || error.code !== 'group_not_found') throw error;
      await isConfigured();
      await room.enter(entry, signal);
      return;
    }
    await isConfigured();
  };

  return {
    async create({ clientId, subject, description, settings, participants }, signal) {
      const service = deps.service ?? (await findService(stream, signal));
      if (service === null)
        throw new DriverError(
          'rejected',
          'no_group_service',
          "The account's server announces no service for groups. Set group_service in the settings.",
        );
      const address = madeRoom(clientId, service);
      const known = deps.getRoom(address);
      const room = known ?? deps.makeRoom(address);
      const change = {
        name: subject,
        description: description ?? '',
        settings: { announceOnly: false, locked: false, membersOnly: false, ...settings },
      };
      try {
        if (room.state !== 'in') {
          await enterMade(room, () => configure(stream, address, change, true, signal), signal);
          await room.settle(stream.account, signal);
        } else await configure(stream, address, change, true, signal);
      } catch (error) {
        if (!known) deps.dropRoom(room);
        throw notAllowed(error);
      }
      await setSubject(room, subject, signal);
      const others = participants.filter((one) => one !== stream.account);
      const outcomes = await changeMembers({ stream, inviting }, room, 'add', others, signal);
      await room.refresh(signal);
      return { group: toInfo(room), participants: outcomes };
    },
    async get(key, signal) {
      const room = await deps.ready(key, signal);
      await room.refresh(signal);
      const lists = await askLists(stream, key, signal);
      if (lists && room.state === 'in') room.occupants.setLists(lists);
      return toInfo(room);
    },
    async update(key, { subject, description, settings, picture }, signal) {
      if (picture !== undefined)
        throw new DriverError('rejected', 'unsupported', 'This channel does not support group pictures.');
      const room = await deps.ready(key, signal);
      const ofOwners = {
        ...(description !== undefined && { description: description ?? '' }),
        ...(settings && { settings }),
      };
      if (Object.keys(ofOwners).length > 0) await configure(stream, key, ofOwners, false, signal);
      if (subject === undefined) return;
      await setSubject(room, subject, signal);
      // Clients that don't show the subject show the name. Only owners may change it.
      await configure(stream, key, { name: subject }, false, signal).catch((error: unknown) => {
        const isNone = error instanceof DriverError && ['not_allowed', 'unsupported'].includes(error.code);
        if (!isNone) throw error;
      });
    },
    async changeParticipants(key, action, addresses, signal) {
      return changeMembers({ stream, inviting }, await deps.ready(key, signal), action, addresses, signal);
    },
    async revokeInvite(key, signal) {
      const room = await deps.ready(key, signal);
      const password = newPassword();
      await configure(stream, key, { password }, false, signal);
      await room.refresh(signal);
      return inviteUrl(key, room.known.password ?? password);
    },
    async join(invite, signal) {
      const { room: address, password } = readInvite(invite);
      const known = deps.getRoom(address);
      if (known?.state === 'in') return toInfo(known);
      const room = known ?? deps.makeRoom(address);
      try {
        const entry = { nick: fitNick(deps.nick), password: password ?? known?.known.password ?? null };
        await room.enter({ ...entry, mayMake: false }, signal);
        await room.settle(stream.account, signal);
        return toInfo(room);
      } catch (error) {
        if (!known) deps.dropRoom(room);
        throw error;
      }
    },
    async leave(key, signal) {
      const room = deps.getRoom(key);
      if (!room) return;
      // A room that is being entered is left once it was entered. A room that doesn't respond is left anyway.
      if (room.state === 'entering')
        await deps.ready(key, signal).catch((error: unknown) => {
          if (!(error instanceof DriverError) || error.kind === 'lost') throw error;
        });
      if (deps.getRoom(key) === room) await room.leave(signal);
    },
  };
}
