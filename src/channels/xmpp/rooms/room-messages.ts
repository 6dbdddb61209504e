/** What a room's messages say of the room, and what the room calls them. */
import type { Element } from '@xmpp/xml';
import { MUC } from './muc.ts';
import { readUser } from './read-presence.ts';
import type { RoomInfo } from './room-info.ts';

const MAX_ID = 1000;
/** Something about the room is another now (XEP-0045, 10.2.1). */
const CONFIG_CODES = ['104', '170', '171', '172', '173', '174'];

/** It changes the subject (XEP-0045, 8.1). */
export const isSubject = (stanza: Element): boolean =>
  stanza.getChild('subject') !== undefined && !stanza.getChild('body') && !stanza.getChild('thread');

/** @param stanza of the room itself */
export function saysChanged(stanza: Element): boolean {
  const user = readUser(stanza);
  return user !== null && CONFIG_CODES.some((code) => user.codes.has(code));
}

/** The room's own name of a message (XEP-0359); null where it gives none, or another of the kind stands beside it. */
export function getStanzaId(stanza: Element, room: string, info: RoomInfo | null): string | null {
  if (!info?.hasStanzaIds) return null;
  const own = stanza.getChildren('stanza-id', MUC.stanzaId).filter(({ attrs }) => attrs['by'] === room);
  const id = own.length === 1 ? (own[0]!.attrs['id'] as string | undefined) : undefined;
  // Our own names of messages have a space: a room must not be able to call a message by one of another chat's.
  return id && id.length <= MAX_ID && !/\s/.test(id) ? id : null;
}
