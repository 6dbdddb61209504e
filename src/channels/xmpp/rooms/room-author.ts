/** Who wrote a message of a room, as far as the room vouches for it. A nick is worth what the room shows beside it. */
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
  /** Under which the account is in it. */
  nick: string;
  /** The account's own ID there (XEP-0421). */
  ownId: string | null;
  /** The room gives such IDs, so that none is forged. */
  hasOccupantIds: boolean;
  /** It shows real addresses to all, in its archive as well. */
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
  // The nick may have been another's then. The archive shows the address where the room does; an occupant can forge that
  // only beside the room's own, and then there are two.
  const shown = room.isOpen ? onlyChild(stanza, 'x', MUC.user)?.getChild('item') : undefined;
  const real = isOwnId ? account : (byId?.address ?? (shown && readItem(shown).jid) ?? null);
  // Where nothing tells, the engine knows what it has sent; the nick may have been another's, who may choose such IDs.
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
