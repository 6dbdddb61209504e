/**
 * What a room's presences say: who comes and goes and who made them, and what becomes of the account itself. A presence is
 * the account's own by its nick, which a room gives to one person only; while it enters, by what the room says of it.
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

/** The account's own place. */
export interface Self {
  nick: string;
  /** XEP-0421, as far as the room gives such. */
  id: string | null;
  affiliation: Affiliation | null;
}

export type SelfChange =
  /** It is in. */
  | { kind: 'entered'; isNew: boolean }
  /** Its affiliation is another. */
  | { kind: 'moved' }
  /** It is out; membership null: it was no decision of anybody's, as where the service goes down. */
  | { kind: 'out'; membership: GroupMembership | null; by: string | null };

export interface People {
  readonly occupants: Occupants;
  readonly self: Self;
  /** From now on it waits to be let in under that nick. */
  await(nick: string): void;
  /** @returns what became of the account itself; null for nothing */
  onPresence(stanza: Element, name: string): SelfChange | null;
  /** Of people who are not present (XEP-0045, example 195). @returns whether it was such */
  onNotice(stanza: Element): boolean;
  clear(): void;
}

/** Of somebody whom the room shows by nick alone. */
export const addressIn = (room: string, nick: string): string =>
  readFull(`${room}/${nick}`) ??
  `${room}/unnamed-${createHash('sha256').update(nick).digest('hex').slice(0, 12)}`;

const goneBy = (codes: ReadonlySet<string>): NonNullable<GroupParticipantChange['gone']> => {
  if (codes.has('301')) return 'banned';
  // With 333 the service lost the connection to somebody.
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
  /** Stays that go on under another nick. */
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
      // No server lets such a nick through; each would be kept.
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
