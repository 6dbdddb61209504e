/**
 * Manages the rooms of the account. Rooms named by the position are entered again after each opening, and invitations
 * are followed. Each room emits in its own order, and the failure of one doesn't affect the others.
 */
import type { Signal } from '../../contract/signal.ts';
import type { KeptStanza } from '../stanza/unread.ts';
import type { Element } from '@xmpp/xml';
import type { GroupCalls, OutboundMessage, SendResult } from '../../contract/connection.ts';
import type { DriverContext } from '../../contract/driver.ts';
import { DriverError } from '../../contract/driver-error.ts';
import { readBare } from '../wire/address.ts';
import { isArchiveResult } from '../session/archive.ts';
import type { StanzaHandler, XmppStream } from '../session/stream.ts';
import type { Telling } from '../session/telling.ts';
import { coalesced } from './coalesced.ts';
import { isStillIn } from './join-leave.ts';
import { type Accepted, createInvitations, type Invitation, readInvitation } from './invitations.ts';
import { createInviting } from './inviting.ts';
import { endedBy, notIn, unreachable } from './joining.ts';
import { MUC } from './muc.ts';
import { fitNick, getNick } from './room-address.ts';
import { createRoomCalls } from './room-calls.ts';
import { createRoom } from './create-room.ts';
import type { Room } from './room.ts';
import { within } from './within.ts';

export interface RoomsDeps {
  stream: XmppStream;
  telling: Telling;
  context: Pick<DriverContext, 'log'>;
  /** The account's wanted nick. */
  nick: string;
  /** The service for new rooms; null for the one that the account's server announces. */
  service: string | null;
  acceptsInvites: boolean;
  /** The interval at which rooms are asked whether the account is still in them. */
  checkMs?: number;
}

export interface Rooms {
  /** Handles stanzas of rooms. Private messages of their occupants, and invitations, are left to other handlers. */
  handle: StanzaHandler;
  /** Enters all rooms of the position. Resolves after one attempt for each; never rejects. */
  rejoin(): Promise<void>;
  /** @throws DriverError */
  send(message: OutboundMessage, stanza: Element, signal: AbortSignal): Promise<SendResult>;
  calls: Required<GroupCalls>;
  isRoom(bare: string): boolean;
  /** Reads a stanza of a room that was kept as unprocessed; null if the account is not in the room. */
  readAgain(room: string, kept: KeptStanza): Signal[] | null;
  /** Takes an invitation, live or from an archive. */
  onInvitation: StanzaHandler;
  /** Stops emitting. */
  stop(): void;
}

/** Each room costs memory here and presences on the server. */
const MAX_ROOMS = 500;
const MAX_AT_ONCE = 8;
/** How long a call waits for a room that is being entered. */
const READY_MS = 15_000;
const RETRY_MS = { first: 2000, max: 300_000 };
/**
 * A room whose service was restarted, or was disconnected from our server, may have forgotten the account without
 * notice.
 */
const CHECK_MS = 600_000;

export function createRooms(deps: RoomsDeps): Rooms {
  const { stream, telling, context } = deps;
  const { log } = context;
  const nick = fitNick(deps.nick);
  const rooms = new Map<string, Room>();
  const allowance = { held: 0 };
  const entering = new Map<string, Promise<void>>();
  const inviting = createInviting(stream);
  /** Rooms to be entered again. */
  const wanted = new Set<Room>();
  let retryMs = RETRY_MS.first;
  let retry: NodeJS.Timeout | null = null;
  let isStopped = false;

  const makeRoom = (address: string): Room => {
    if (rooms.size >= MAX_ROOMS)
      throw new DriverError(
        'rejected',
        'too_many_groups',
        `An account can be in at most ${MAX_ROOMS} groups.`,
      );
    const room = createRoom(address, { stream, telling, allowance, log, onOut });
    rooms.set(address, room);
    return room;
  };
  const dropRoom = (room: Room): void => {
    room.stop();
    if (rooms.get(room.address) === room) rooms.delete(room.address);
  };
  function onOut(room: Room, mayReturn: boolean): void {
    if (!mayReturn) dropRoom(room);
    else enterLater(room);
  }
  function enterLater(room: Room): void {
    if (isStopped) return;
    wanted.add(room);
    retry ??= setTimeout(() => {
      retry = null;
      const again = [...wanted];
      wanted.clear();
      void enterAll(again);
    }, retryMs).unref();
  }

  const enterAgain = async (room: Room, state: Room['state'] = 'out'): Promise<void> => {
    const known = telling.position.rooms[room.address];
    if (!known || isStopped || room.state !== state || rooms.get(room.address) !== room) return;
    try {
      await room.enter({ nick, password: known.password ?? null, mayMake: false });
      await room.settle(null);
      retryMs = RETRY_MS.first;
    } catch (error) {
      if (isStopped || (error instanceof DriverError && error.kind === 'lost')) return;
      const membership = error instanceof DriverError ? endedBy(error) : null;
      log.warn({ room: room.address, error: String(error), membership }, 'A room could not be entered again');
      if (membership === null) return enterLater(room);
      await room.end(membership, null).catch(() => {}); // reported as the end of the connection
    }
  };
  const tracked = (room: Room, work: Promise<void>): Promise<void> => {
    const tracking = work.finally(() => {
      if (entering.get(room.address) === tracking) entering.delete(room.address);
    });
    entering.set(room.address, tracking);
    return tracking;
  };
  const enterAll = async (all: readonly Room[]): Promise<void> => {
    retryMs = Math.min(2 * retryMs, RETRY_MS.max);
    const left = [...all];
    const work = async (): Promise<void> => {
      for (let room = left.shift(); room; room = left.shift()) await tracked(room, enterAgain(room));
    };
    await Promise.all(Array.from({ length: MAX_AT_ONCE }, work));
  };

  const check = coalesced(
    async () => {
      for (const room of rooms.values()) {
        const known = telling.position.rooms[room.address];
        if (isStopped) return;
        if (!known?.nick || room.state !== 'in' || (await isStillIn(stream, `${room.address}/${known.nick}`)))
          continue;
        log.warn({ room: room.address }, 'A room has forgotten the account, which enters it again');
        await tracked(room, enterAgain(room, 'in'));
      }
    },
    (error) => log.warn({ error: String(error) }, 'Rooms could not be asked who is in them'),
  );
  const checking = setInterval(check, deps.checkMs ?? CHECK_MS).unref();

  const accept = async ({ room: address, password, by }: Invitation): Promise<Accepted> => {
    if (isStopped || rooms.has(address)) return 'refused';
    let room: Room | null = null;
    try {
      room = makeRoom(address);
      const entered = room;
      const enter = async (): Promise<void> => {
        await entered.enter({ nick, password, mayMake: false });
        await entered.settle(by);
      };
      await tracked(room, enter());
      return 'entered';
    } catch (error) {
      // A room that the account left in the meantime is not entered again.
      const isLeft = room !== null && rooms.get(address) !== room;
      if (room) dropRoom(room);
      const isForNow = !isLeft && error instanceof DriverError && error.kind !== 'rejected';
      if (!isStopped)
        log.warn(
          { room: address, error: String(error), isForNow },
          'A room that invited the account could not be entered',
        );
      return isForNow ? 'later' : 'refused';
    }
  };
  const invitations = createInvitations({ isTaken: (room) => rooms.has(room), accept, log });

  const ready = async (address: string, signal: AbortSignal): Promise<Room> => {
    const room = rooms.get(address);
    if (!room) throw notIn();
    const enters = entering.get(address);
    if (enters && room.state !== 'in') await within(enters, READY_MS, signal, unreachable);
    if (rooms.get(address) !== room) throw notIn();
    if (room.state !== 'in') throw unreachable();
    return room;
  };

  const getRoom = (from: string): { room: Room; name: string | null } | null => {
    const name = getNick(from);
    const bare = name === null ? from : from.slice(0, -1 - name.length);
    const room = rooms.get(bare) ?? rooms.get(readBare(bare) ?? '');
    return room ? { room, name } : null;
  };
  const onInvitation: StanzaHandler = (stanza) => {
    // If invitations are not accepted, direct ones are received as ordinary messages.
    if (deps.acceptsInvites) return invitations.take(stanza);
    const isMediated = stanza.getChild('x', MUC.user)?.getChild('invite');
    return isMediated !== undefined && readInvitation(stanza) !== null;
  };

  return {
    handle(stanza) {
      const name = stanza.getName();
      if ((name !== 'message' && name !== 'presence') || isArchiveResult(stanza)) return false;
      if (inviting.handle(stanza)) return true;
      const { from, type } = stanza.attrs as { from?: string; type?: string };
      const found = from === undefined ? null : getRoom(from);
      if (found && name === 'presence') {
        found.room.onPresence(stanza, found.name);
        return true;
      }
      if (name === 'presence') return false;
      if (found?.room.onMessage(stanza, found.name)) return true;
      // Messages of rooms that the account has left are dropped. Invitations are left to `inbound`, which brings them
      // in order.
      return type === 'groupchat';
    },
    readAgain: (room, { stanza, stanzaId, at }) =>
      rooms.get(room)?.read({ stanza, stanzaId, at, isArchived: true, author: null }) ?? null,
    async rejoin() {
      const addresses = Object.keys(telling.position.rooms).filter((address) => !rooms.has(address));
      await enterAll(addresses.slice(0, MAX_ROOMS - rooms.size).map(makeRoom));
    },
    async send(message, stanza, signal) {
      const room = await ready(message.chat.key, signal);
      return room.post(stanza, signal);
    },
    calls: createRoomCalls({
      stream,
      inviting,
      nick,
      service: deps.service,
      getRoom: (address) => rooms.get(address) ?? null,
      makeRoom,
      dropRoom,
      ready,
    }),
    isRoom: (bare) => rooms.has(bare),
    onInvitation,
    stop() {
      isStopped = true;
      if (retry) clearTimeout(retry);
      clearInterval(checking);
      invitations.stop();
      wanted.clear();
      for (const room of rooms.values()) room.stop();
      rooms.clear();
    },
  };
}
