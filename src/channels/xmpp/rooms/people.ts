/**
 * Reads a room's presences: who enters and leaves, who caused it, and how the account's own membership changes. A
 * presence is the account's own if it has its nick, which a room gives to one person only; while the account enters, if
 * the room marks it as such.
 */
import { createHash, randomUUID } from 'node:crypto';
import type { Element } from '@xmpp/xml';
import type { GroupMembership, GroupParticipantChange } from '../../contract/signal.ts';
import { readFull } from '../wire/address.ts';
import { type Allowance, type Occupants, createOccupants } from './occupants.ts';
import { type Affiliation, MUC, onlyChild } from './muc.ts';
import { type Item, readItem, readOccupantId, readUser, type RoomUser } from './read-presence.ts';

const MAX_RENAMED = 100;
const MAX_NICK = 1023;

/** The account as an occupant. */
export interface Self {
  nick: string;
  /** The occupant ID (XEP-0421); null if the room gives none. */
  id: string | null;
  affiliation: Affiliation | null;
}

export type SelfChange =
  /** The account entered the room. */
  | { kind: 'entered'; isNew: boolean }
  /** The account's affiliation changed. */
  | { kind: 'moved' }
  /**
   * The account is no longer in the room. `membership` is null if no person caused it, for example if the service shuts
   * down.
   */
  | { kind: 'out'; membership: GroupMembership | null; by: string | null };

export interface People {
  readonly occupants: Occupants;
  readonly self: Self;
  /** Starts waiting for the account to be admitted under this nick. */
  await(nick: string): void;
  /** @returns the change for the account itself; null for none */
  onPresence(stanza: Element, name: string): SelfChange | null;
  /** Reads a notice about people who are not present (XEP-0045, example 195). @returns whether the stanza was one */
  onNotice(stanza: Element): boolean;
  clear(): void;
}

/** Returns the address of a person whom the room shows only by nick. */
export const addressIn = (room: string, nick: string): string =>
  readFull(`${room}/${nick}`) ??
  `${room}/unnamed-${createHash('sha256').update(nick).digest('hex').slice(0, 12)}`;

const goneBy = (codes: ReadonlySet<string>): NonNullable<GroupParticipantChange['gone']> => {
  if (codes.has('301')) return 'banned';
  // With 333, the service lost the connection to the person.
  return ['307', '321', '322'].some((code) => codes.has(code)) && !codes.has('333') ? 'removed' : 'left';
};

function membershipBy({ codes, isDestroyed }: RoomUser): GroupMembership | null {
  if (isDestroyed) return 'destroyed';
  const gone = goneBy(codes);
  return gone === 'left' ? null : gone;
}

/** @param allowance shared with all other rooms of the connection */
export function createPeople(room: string, account: string, allowance: Allowance): People {
  const occupants = createOccupants(allowance);
  const self: Self = { nick: '', id: null, affiliation: null };
  let isAwaited = false;
  /** Stays that continue under a new nick. */
  const renamed = new Map<string, string>();

  const getCreator = (item: Item | null): string | null => {
    if (!item?.actor) return null;
    const { jid, nick } = item.actor;
    return jid ?? (nick === null ? null : (occupants.byNick.get(nick)?.address ?? null));
  };

  const onAvailable = (stanza: Element, name: string, { codes, item }: RoomUser): SelfChange | null => {
    if (!item) return null;
    const isMine = item.jid === account;
    const isSelf = isAwaited
      ? codes.has('110') && (name === self.nick || codes.has('210') || isMine)
      : name === self.nick;
    const stay = occupants.byNick.get(name)?.stay ?? renamed.get(name) ?? randomUUID();
    renamed.delete(name);
    const address = isSelf || isMine ? account : (item.jid ?? addressIn(room, name));
    const [by, id] = [getCreator(item), readOccupantId(stanza)];
    occupants.enter({ nick: name, address, affiliation: item.affiliation, role: item.role, id, stay }, by);
    if (isSelf || item.jid !== null) occupants.affiliate(address, item.affiliation, by);
    if (!isSelf) return null;
    const before = self.affiliation;
    Object.assign(self, { nick: name, id, affiliation: item.affiliation });
    if (isAwaited) {
      isAwaited = false;
      return { kind: 'entered', isNew: codes.has('201') };
    }
    return before === item.affiliation ? null : { kind: 'moved' };
  };

  const onUnavailable = (name: string, user: RoomUser): SelfChange | null => {
    const { codes, item } = user;
    const by = getCreator(item);
    const isSelf = !isAwaited && name === self.nick;
    if (codes.has('303') && item?.nick) {
      const stay = occupants.byNick.get(name)?.stay;
      if (renamed.size >= MAX_RENAMED) renamed.clear();
      if (stay !== undefined) renamed.set(item.nick, stay);
      if (isSelf) self.nick = item.nick;
    } else if (isSelf) return { kind: 'out', membership: membershipBy(user), by };
    occupants.leave(name, goneBy(codes), by);
    if (item && item.jid !== null) occupants.affiliate(item.jid, item.affiliation, by);
    return null;
  };

  return {
    occupants,
    self,
    await(nick) {
      isAwaited = true;
      Object.assign(self, { nick, id: null, affiliation: null });
    },
    onPresence(stanza, name) {
      // No server accepts a nick this long, and each one would be stored.
      if (name.length > MAX_NICK) return null;
      const type = stanza.attrs['type'] as string | undefined;
      const user = readUser(stanza);
      if (type === 'unavailable')
        return onUnavailable(name, user ?? { codes: new Set(), item: null, isDestroyed: false });
      return type === undefined && user ? onAvailable(stanza, name, user) : null;
    },
    onNotice(stanza) {
      const item = onlyChild(stanza, 'x', MUC.user)?.getChild('item');
      if (!item) return false;
      const change = readItem(item);
      if (change.jid !== null) occupants.affiliate(change.jid, change.affiliation, getCreator(change));
      return true;
    },
    clear() {
      isAwaited = false;
      renamed.clear();
      occupants.clear();
    },
  };
}
