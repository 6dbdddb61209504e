/** Determines the author of a room's message from data that the room guarantees. A nick alone proves nothing. */
import type { Element } from '@xmpp/xml';
import { clientIdIn } from '../stanza/names.ts';
import type { Occupants } from './occupants.ts';
import { MUC, onlyChild } from './muc.ts';
import { readItem, readOccupantId } from './read-presence.ts';
import { addressIn } from './people.ts';
import { getNick, shownNick } from './room-address.ts';
import type { RoomAuthor } from '../stanza/room-view.ts';

export interface KnownRoom {
  address: string;
  account: string;
  /** The account's nick in the room. */
  nick: string;
  /** The account's own occupant ID (XEP-0421). */
  ownId: string | null;
  /** Whether the room assigns occupant IDs, so that they can't be forged. */
  hasOccupantIds: boolean;
  /** Whether the room shows real addresses to everyone, in its archive as well. */
  isOpen: boolean;
  occupants: Occupants;
}

export function getAuthor(stanza: Element, isArchived: boolean, room: KnownRoom): RoomAuthor {
  const { address, account, occupants } = room;
  const nick = getNick(stanza.attrs['from'] as string | undefined);
  if (nick === null) return { address, name: null, isMe: false, key: null };
  const name = shownNick(nick);
  const id = room.hasOccupantIds ? readOccupantId(stanza) : null;
  const byId = id === null ? null : occupants.byId(id);
  const isOwnId = id !== null && id === room.ownId;

  if (!isArchived) {
    const occupant = occupants.byNick.get(nick) ?? null;
    const isMe = nick === room.nick || isOwnId;
    const real = isMe ? account : (occupant?.address ?? byId?.address ?? null);
    return {
      address: real ?? addressIn(address, nick),
      name,
      isMe: isMe || real === account,
      key: getKey(id, real, room) ?? occupant?.stay ?? null,
    };
  }
  // The nick may have belonged to another person at the time. The archive shows the address if the room does. An
  // occupant can only forge one beside the room's own, and then there are two.
  const shown = room.isOpen ? onlyChild(stanza, 'x', MUC.user)?.getChild('item') : undefined;
  const real = isOwnId ? account : (byId?.address ?? (shown && readItem(shown).jid) ?? null);
  // If the room shows nothing, only the engine knows what it has sent: the nick may have belonged to another person,
  // who can choose such IDs.
  const mayBeMe = real === null && id === null && nick === room.nick && isClientId(stanza);
  return {
    address: real ?? addressIn(address, nick),
    name,
    isMe: real === account,
    mayBeMe,
    key: getKey(id, real, room),
  };
}

const isClientId = (stanza: Element): boolean =>
  clientIdIn((stanza.attrs['id'] as string | undefined) ?? null) !== null;

const getKey = (id: string | null, real: string | null, { address }: KnownRoom): string | null => {
  if (id !== null) return `id:${id}`;
  return real !== null && !real.startsWith(`${address}/`) ? real : null;
};
