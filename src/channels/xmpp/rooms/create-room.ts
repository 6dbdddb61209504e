/**
 * One room that the account is in or wants to be in. What the room itself says counts (its presences, and messages from its
 * bare address); what occupants write into their stanzas about the room does not.
 */
import type { Element } from '@xmpp/xml';
import { DriverError } from '../../contract/driver-error.ts';
import type { GroupSignal, Signal } from '../../contract/signal.ts';
import { type Archive, createArchive } from '../session/archive.ts';
import { stanzaCondition } from '../wire/faults.ts';
import { readMessage } from '../stanza/read-message.ts';
import { readOrKeep } from '../stanza/unread.ts';
import { ENTER_MS, enterAs, leavePermanently, getSince } from './join-leave.ts';
import { groupNotFound, joinFault, notIn, saysNotIn, unreachable, writeFault } from './joining.ts';
import { leavePresence, MUC, onlyChild } from './muc.ts';
import { coalesced } from './coalesced.ts';
import { createPeople, type SelfChange } from './people.ts';
import { getAuthor } from './room-author.ts';
import { createKnownAbout } from './room-about.ts';
import { createRoomChanges } from './room-changes.ts';
import { createRoomInbound, type InboundStanza } from './room-inbound.ts';
import { askInfo, askLists } from './room-info.ts';
import { createRoomPosts } from './room-posts.ts';
import type { Entry, Room, RoomDeps } from './room.ts';
import type { RoomView } from '../stanza/room-view.ts';
import { isSubject, saysChanged, getStanzaId } from './room-messages.ts';
import { within } from './within.ts';

/** Rooms send their subject last, but some send none. */
const SUBJECT_MS = 3000;

export function createRoom(address: string, deps: RoomDeps): Room {
  const { stream, telling, log } = deps;
  const { account } = stream;
  const people = createPeople(address, account, deps.allowance);
  const { occupants, self } = people;
  const posts = createRoomPosts(stream);
  let state: Room['state'] = 'out';
  const known = createKnownAbout(stream, address);
  let entered: PromiseWithResolvers<boolean> | null = null;
  let hasSubject = Promise.withResolvers<void>();
  let left: PromiseWithResolvers<void> | null = null;
  let refreshing: Promise<void> | null = null;

  const view: RoomView = {
    address,
    get title() {
      return known.title;
    },
    author: (stanza, isArchived) =>
      getAuthor(stanza, isArchived, {
        address,
        account,
        nick: self.nick,
        ownId: self.id,
        hasOccupantIds: known.info?.hasOccupantIds ?? false,
        isOpen: known.info?.isOpen ?? false,
        occupants,
      }),
    getAddress: (name) => occupants.byNick.get(name)?.address ?? null,
  };
  const group = (signal: Partial<GroupSignal>): GroupSignal => ({
    kind: 'group',
    key: address,
    address,
    by: null,
    at: new Date(),
    ...signal,
  });
  const read = ({ stanza, stanzaId, at, isArchived, author }: InboundStanza): Signal[] => {
    // What it is called by now is asked of it.
    if (isSubject(stanza)) return [];
    const seen = author
      ? { address, title: view.title, getAddress: view.getAddress, author: () => author }
      : view;
    return readOrKeep({ stanza, stanzaId, at, room: address }, () =>
      readMessage(stanza, { account, stanzaId, at, room: seen, isArchived }),
    );
  };
  const inbound = createRoomInbound({
    stream,
    telling,
    room: address,
    log,
    read,
    takeChanges: () => changes.take(),
  });
  const changes = createRoomChanges({ occupants, known, group, wake: inbound.wake });

  const goOut = (): void => {
    state = 'out';
    inbound.pause();
    changes.stop();
    posts.end();
    people.clear();
  };
  /** The end of the connection is reported by the part that noticed it. */
  const getWarning = (what: string) => (error: unknown) => {
    if (error instanceof DriverError && error.kind === 'lost') return;
    log.warn({ room: address, error: String(error) }, what);
  };
  const ask = async (signal?: AbortSignal): Promise<void> => {
    const isOther = await known.ask(self.affiliation === 'owner', signal);
    if (isOther && state === 'in')
      await telling.emit([], (position) => {
        const own = position.rooms[address];
        if (own) own.password = known.password;
      });
  };
  const relist = async (): Promise<void> => {
    const lists = await askLists(stream, address);
    if (state === 'in') occupants.setLists(lists);
    await ask();
    if (state === 'in') changes.onAbout();
  };
  const listAgain = coalesced(relist, getWarning("A room's lists could not be read"));
  const askAgain = coalesced(() => room.refresh(), getWarning('A room could not be asked what changed'));
  const onSelf = (change: SelfChange): void => {
    if (change.kind === 'entered') return entered?.resolve(change.isNew);
    // Who rises or falls is shown other lists.
    if (change.kind === 'moved') return state === 'in' ? listAgain() : undefined;
    const membership = left ? 'left' : change.membership;
    const waits = left;
    left = null;
    goOut();
    if (membership === null) deps.onOut(room, true);
    else
      room.end(membership, waits ? account : change.by).then(waits?.resolve, (error: unknown) => {
        if (waits) waits.reject(error);
        else getWarning('could not report that a room was left')(error);
      });
  };
  const onSubject = (stanza: Element, name: string | null): void => {
    const text = stanza.getChildText('subject') ?? '';
    hasSubject.resolve();
    const id = stanza.attrs['id'] as string | undefined;
    if (name === self.nick && id !== undefined) posts.onShown(id, null);
    if (text === known.subject) return;
    known.subject = text;
    if (state !== 'in') return;
    const author = view.author(stanza, false);
    changes.onAbout(author.name === null ? null : author.address);
  };
  const onGroupchat = (stanza: Element, name: string | null): void => {
    if (name === null && saysChanged(stanza)) askAgain();
    const delay = state === 'entering' ? onlyChild(stanza, 'delay', MUC.delay) : null;
    if (isSubject(stanza)) return onSubject(stanza, name);
    // Of the time before, where the archive has that.
    if (delay && known.info?.hasArchive) return;
    const stanzaId = getStanzaId(stanza, address, known.info);
    const isArchived = delay !== null;
    const at = delay ? new Date(String(delay.attrs['stamp'])) : new Date();
    const id = stanza.attrs['id'] as string | undefined;
    if (name !== null && name === self.nick && id !== undefined && !delay) posts.onShown(id, stanzaId);
    if (!Number.isNaN(at.getTime()))
      inbound.hear({ stanza, stanzaId, at, isArchived, author: view.author(stanza, isArchived) });
  };

  const knock = async (entry: Entry, signal?: AbortSignal): Promise<boolean> => {
    const since = known.info?.hasArchive ? null : getSince(telling.position.rooms[address]);
    try {
      return await enterAs(stream, address, { ...entry, since }, signal, (nick) => {
        // The account has left the room since.
        if (state !== 'entering') throw unreachable();
        people.await(nick);
        return (entered = Promise.withResolvers()).promise;
      });
    } finally {
      entered = null;
    }
  };

  /**
   * Finds the archive entry after which the account receives the room. It is stored together with the membership, so
   * everything later is read from the archive, even if the connection ends immediately.
   * @returns null if a position is stored already, or if `hearing` must retry
   */
  const findArchiveStart = async (archive: Archive, signal?: AbortSignal): Promise<string | null> => {
    if ((telling.position.rooms[address]?.archive ?? null) !== null) return null;
    try {
      return (await archive.page({ before: '', max: 1 }, signal)).last ?? '';
    } catch (error) {
      if (!(error instanceof DriverError) || error.kind === 'lost') throw error;
      return null;
    }
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
      hasSubject = Promise.withResolvers();
      try {
        // Whoever enters a room that isn't there makes it.
        if (!entry.mayMake) known.info = await askInfo(stream, address, signal);
        const isNew = await knock(entry, signal);
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
        await ask(signal);
        await within(hasSubject.promise, SUBJECT_MS, signal, () => null);
        const lists = await askLists(stream, address, signal);
        if (state !== 'entering') throw unreachable();
        occupants.setLists(lists);
        const archive = known.info?.hasArchive ? await createArchive(stream, address) : null;
        const start = archive && (await findArchiveStart(archive, signal));
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
    refresh(signal) {
      // One that runs may have asked before what is to be seen.
      const next = (refreshing ?? Promise.resolve())
        .catch(() => {})
        .then(async () => {
          await ask(signal);
          changes.onAbout();
        });
      refreshing = next;
      return next;
    },
    async leave(signal) {
      if (state !== 'in') {
        const { nick } = self;
        deps.onOut(room, false);
        // It may be in by the time that the room reads this.
        if (nick !== '') await stream.send(leavePresence(`${address}/${nick}`));
        return room.end('left', account);
      }
      left = Promise.withResolvers();
      left.promise.catch(() => {}); // where the writing fails first
      await leavePermanently(stream, address, self.affiliation, signal);
      if (state === 'in') await stream.send(leavePresence(`${address}/${self.nick}`));
      const heard = await within(
        left.promise.then(() => true),
        ENTER_MS,
        signal,
        () => null,
      );
      // A room that says nothing has no say in it.
      if (!heard) await room.end('left', account);
    },
    async post(stanza, signal) {
      if (state !== 'in') throw state === 'out' ? notIn() : unreachable();
      return posts.post(stanza, signal);
    },
    read,
    onPresence(stanza, name) {
      if (stanza.attrs['type'] === 'error') {
        entered?.reject(joinFault(stanza));
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
        // Of the room itself: what comes from a place in it its people can write.
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
        if (state !== 'out') onGroupchat(stanza, name);
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
      entered?.reject(unreachable());
    },
  };
  return room;
}
