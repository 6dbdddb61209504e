/**
 * A room that the account is in or wants to join. Only the room itself is trusted (its presences, and messages from its
 * bare address), not what occupants claim about the room in their stanzas.
 */
import { DriverError } from '../../contract/driver-error.ts';
import type { GroupSignal } from '../../contract/signal.ts';
import { createArchive } from '../session/archive.ts';
import { stanzaCondition } from '../wire/errors.ts';
import { findArchiveStart } from './archive-start.ts';
import { groupNotFound, joinFault, notIn, saysNotIn, unreachable, writeFault } from './joining.ts';
import { leavePresence } from './muc.ts';
import { createPeople, type SelfChange } from './people.ts';
import { createKnownAbout } from './room-about.ts';
import { createRoomChanges } from './room-changes.ts';
import { createRoomDeparture } from './room-departure.ts';
import { createRoomEntrance } from './room-entrance.ts';
import { type GroupchatDeps, onGroupchat } from './room-groupchat.ts';
import { createRoomInbound } from './room-inbound.ts';
import { askInfo, askLists } from './room-info.ts';
import { createRoomPosts } from './room-posts.ts';
import { createRoomReader } from './room-reader.ts';
import { createRoomRefresh } from './room-refresh.ts';
import type { Room, RoomDeps } from './room.ts';

export function createRoom(address: string, deps: RoomDeps): Room {
  const { stream, telling, log } = deps;
  const { account } = stream;
  const people = createPeople(address, account, deps.allowance);
  const { occupants, self } = people;
  const posts = createRoomPosts(stream);
  let state: Room['state'] = 'out';
  const known = createKnownAbout(stream, address);
  const departure = createRoomDeparture(stream, address, self);

  const { view, read } = createRoomReader({ address, account, people, known });
  const group = (signal: Partial<GroupSignal>): GroupSignal => ({
    kind: 'group',
    key: address,
    address,
    by: null,
    at: new Date(),
    ...signal,
  });
  const inbound = createRoomInbound({
    stream,
    telling,
    room: address,
    log,
    read,
    takeChanges: () => changes.take(),
  });
  const changes = createRoomChanges({ occupants, known, group, wake: inbound.wake });

  /** The end of the connection is reported by the part that noticed it. */
  const getWarning = (what: string) => (error: unknown) => {
    if (error instanceof DriverError && error.kind === 'lost') return;
    log.warn({ room: address, error: String(error) }, what);
  };
  const refresh = createRoomRefresh({
    stream,
    telling,
    address,
    people,
    known,
    changes,
    isIn: () => state === 'in',
    getWarning,
  });
  const entrance = createRoomEntrance(stream, address, (nick) => {
    // The account has left the room since.
    if (state !== 'entering') throw unreachable();
    people.await(nick);
  });

  const goOut = (): void => {
    state = 'out';
    inbound.pause();
    changes.stop();
    posts.end();
    people.clear();
  };
  const onSelf = (change: SelfChange): void => {
    if (change.kind === 'entered') return entrance.onEntered(change.isNew);
    // After a change of affiliation, the room shows other lists.
    if (change.kind === 'moved') return state === 'in' ? refresh.onMoved() : undefined;
    const waits = departure.take();
    const membership = waits ? 'left' : change.membership;
    goOut();
    if (membership === null) deps.onOut(room, true);
    else
      room.end(membership, waits ? account : change.by).then(waits?.resolve, (error: unknown) => {
        if (waits) waits.reject(error);
        else getWarning('could not report that a room was left')(error);
      });
  };
  const room: Room = {
    address,
    occupants,
    view,
    known,
    get state() {
      return state;
    },
    async enter(entry, signal) {
      if (state === 'entering') throw unreachable();
      goOut();
      state = 'entering';
      known.password = entry.password;
      entrance.begin();
      try {
        // Joining a room that does not exist would create it.
        if (!entry.mayMake) known.info = await askInfo(stream, address, signal);
        const isNew = await entrance.knock(
          entry,
          known.info?.hasArchive ? undefined : telling.position.rooms[address],
          signal,
        );
        if (!isNew || entry.mayMake) return;
        await stream.send(leavePresence(`${address}/${self.nick}`));
        throw groupNotFound();
      } catch (error) {
        goOut();
        throw error;
      }
    },
    async settle(by, signal) {
      try {
        await refresh.ask(signal);
        await entrance.waitForSubject(signal);
        const lists = await askLists(stream, address, signal);
        if (state !== 'entering') throw unreachable();
        occupants.setLists(lists);
        const archive = known.info?.hasArchive ? await createArchive(stream, address) : null;
        const start = archive && (await findArchiveStart(archive, telling.position.rooms[address], signal));
        if (state !== 'entering') throw unreachable();
        state = 'in';
        const snapshot = {
          membership: 'joined',
          about: known.about(),
          participants: { all: occupants.takeAll() },
        } as const;
        await telling.emit([group({ ...snapshot, by })], ({ rooms }) => {
          const { archive: entry = null, heardAt = null } = rooms[address] ?? {};
          rooms[address] = { archive: entry ?? start, nick: self.nick, password: known.password, heardAt };
        });
        inbound.begin(archive);
      } catch (error) {
        if (state === 'entering') goOut();
        throw error;
      }
    },
    refresh: refresh.refresh,
    async leave(signal) {
      if (state !== 'in') {
        const { nick } = self;
        deps.onOut(room, false);
        // The account may have joined by the time the room reads this.
        if (nick !== '') await stream.send(leavePresence(`${address}/${nick}`));
        return room.end('left', account);
      }
      const heard = await departure.leave(() => state === 'in', signal);
      // A room that doesn't respond can't keep the account in.
      if (!heard) await room.end('left', account);
    },
    async post(stanza, signal) {
      if (state !== 'in') throw state === 'out' ? notIn() : unreachable();
      return posts.post(stanza, signal);
    },
    read,
    onPresence(stanza, name) {
      if (stanza.attrs['type'] === 'error') {
        entrance.onRefused(joinFault(stanza));
        return;
      }
      if (name === null || state === 'out') return;
      const change = people.onPresence(stanza, name);
      if (change) onSelf(change);
      inbound.wake();
    },
    onMessage(stanza, name) {
      const { type, id } = stanza.attrs as { type?: string; id?: string };
      if (type === 'error') {
        // Only from the room's bare address: occupants can write stanzas from an occupant address.
        if (name !== null || id === undefined || !posts.isPosted(id)) return false;
        const isOut = saysNotIn(stanzaCondition(stanza));
        posts.onRefused(id, isOut ? unreachable() : writeFault(stanza));
        if (isOut) {
          goOut();
          deps.onOut(room, true);
        }
        return true;
      }
      if (type === 'groupchat') {
        if (state !== 'out') onGroupchat(groupchat, stanza, name);
        return true;
      }
      if (name !== null || !people.onNotice(stanza)) return false;
      inbound.wake();
      return true;
    },
    async end(membership, by) {
      goOut();
      deps.onOut(room, false);
      await telling.emit([group({ membership, by })], ({ rooms }) => {
        delete rooms[address];
      });
    },
    stop() {
      goOut();
      inbound.stop();
      entrance.onRefused(unreachable());
    },
  };
  const groupchat: GroupchatDeps = { room, self, known, posts, inbound, changes, entrance, refresh };
  return room;
}
