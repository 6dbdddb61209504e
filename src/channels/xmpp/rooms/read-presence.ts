/**
 * Reads what a room's presences say about its occupants. Only the room's own element counts, and only if there is
 * exactly one.
 */
import type { Element } from '@xmpp/xml';
import { readBare } from '../wire/address.ts';
import { AFFILIATIONS, type Affiliation, toElements, MUC, onlyChild } from './muc.ts';

export interface Item {
  affiliation: Affiliation;
  role: string;
  /** Bare and normalized; null if the room hides it. */
  jid: string | null;
  /** The new nick if the nick changes. */
  nick: string | null;
  /** The actor of the change. */
  actor: { jid: string | null; nick: string | null } | null;
}

export interface RoomUser {
  codes: ReadonlySet<string>;
  item: Item | null;
  isDestroyed: boolean;
}

/** More status codes than any standard defines. */
const MAX_CODES = 20;
const MAX_NICK = 1023;
const ROLES = ['moderator', 'participant', 'visitor', 'none'];

/** @returns null if there is no such element, or a forged one beside it */
export function readUser(stanza: Element): RoomUser | null {
  const user = onlyChild(stanza, 'x', MUC.user);
  if (!user) return null;
  const parts = toElements(user);
  const codes = parts
    .filter((part) => part.name === 'status')
    .slice(0, MAX_CODES)
    .map((part) => String(part.attrs['code']));
  // An occupant with several clients has several items, which differ only in the JID's resource.
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

/** Returns the occupant ID (XEP-0421). Only valid if the room announces that it assigns them. */
export function readOccupantId(stanza: Element): string | null {
  const id = onlyChild(stanza, 'occupant-id', MUC.occupantId)?.attrs['id'] as string | undefined;
  return id && id.length <= 256 ? id : null;
}
