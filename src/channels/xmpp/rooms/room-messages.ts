/** Reads what groupchat stanzas say about the room, and the IDs that the room assigns. */
import type { Element } from '@xmpp/xml';
import { MUC } from './muc.ts';
import { readUser } from './read-presence.ts';
import type { RoomInfo } from './room-info.ts';

const MAX_ID = 1000;
/** Status codes for changes of the room's configuration (XEP-0045, 10.2.1). */
const CONFIG_CODES = ['104', '170', '171', '172', '173', '174'];

/** Whether the stanza changes the subject (XEP-0045, 8.1). */
export const isSubject = (stanza: Element): boolean =>
  stanza.getChild('subject') !== undefined && !stanza.getChild('body') && !stanza.getChild('thread');

/** @param stanza sent by the room itself */
export function saysChanged(stanza: Element): boolean {
  const user = readUser(stanza);
  return user !== null && CONFIG_CODES.some((code) => user.codes.has(code));
}

/** Returns the ID that the room assigned to a message (XEP-0359); null if there is none, or more than one. */
export function getStanzaId(stanza: Element, room: string, info: RoomInfo | null): string | null {
  if (!info?.hasStanzaIds) return null;
  const own = stanza.getChildren('stanza-id', MUC.stanzaId).filter(({ attrs }) => attrs['by'] === room);
  const id = own.length === 1 ? (own[0]!.attrs['id'] as string | undefined) : undefined;
  // Our own names contain a space. A room must not be able to give a message the name of one in another chat.
  return id && id.length <= MAX_ID && !/\s/.test(id) ? id : null;
}
