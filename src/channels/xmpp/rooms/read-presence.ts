/** What a room says of its occupants. Only the room's own part counts, and only where there is one of it. */
import type { Element } from '@xmpp/xml';
import { readBare } from '../wire/address.ts';
import { AFFILIATIONS, type Affiliation, toElements, MUC, onlyChild } from './muc.ts';

export interface Item {
  affiliation: Affiliation;
  role: string;
  /** Bare and normalized, where the room shows it. */
  jid: string | null;
  /** Of a nick change: the new one. */
  nick: string | null;
  /** Who did it. */
  actor: { jid: string | null; nick: string | null } | null;
}

export interface RoomUser {
  codes: ReadonlySet<string>;
  item: Item | null;
  isDestroyed: boolean;
}

/** More than any standard has. */
const MAX_CODES = 20;
const MAX_NICK = 1023;
const ROLES = ['moderator', 'participant', 'visitor', 'none'];

/** @returns null where the room says nothing, or somebody else says it as well */
export function readUser(stanza: Element): RoomUser | null {
  const user = onlyChild(stanza, 'x', MUC.user);
  if (!user) return null;
  const parts = toElements(user);
  const codes = parts
    .filter((part) => part.name === 'status')
    .slice(0, MAX_CODES)
    .map((part) => String(part.attrs['code']));
  // Of an occupant with several clients there are several, which differ in the JID's resource alone.
  const items = parts.filter((part) => part.name === 'item');
  const jids = new Set(items.map((item) => readBare(item.attrs['jid'])));
  const item = items[0] && jids.size === 1 ? readItem(items[0]) : null;
  return { codes: new Set(codes), item, isDestroyed: parts.some((part) => part.name === 'destroy') };
}

export function readItem(item: Element): Item {
  const { affiliation, role, jid, nick } = item.attrs as Record<string, string | undefined>;
  const actor = item.getChild('actor');
  return {
    affiliation: AFFILIATIONS.find((known) => known === affiliation) ?? 'none',
    role: ROLES.find((known) => known === role) ?? 'none',
    jid: readBare(jid),
    nick: nick !== undefined && nick.length <= MAX_NICK ? nick : null,
    actor: actor
      ? { jid: readBare(actor.attrs['jid']), nick: (actor.attrs['nick'] as string | undefined) ?? null }
      : null,
  };
}

/** Of XEP-0421; only where the room says that it gives them. */
export function readOccupantId(stanza: Element): string | null {
  const id = onlyChild(stanza, 'occupant-id', MUC.occupantId)?.attrs['id'] as string | undefined;
  return id && id.length <= 256 ? id : null;
}
