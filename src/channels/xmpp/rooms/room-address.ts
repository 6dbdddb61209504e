/** Parses and builds addresses of rooms, invitation links, and nicks. */
import { DriverError } from '../../contract/driver-error.ts';
import { bareJid, parseJid } from '../wire/address.ts';

/** Maximum characters of a displayed nick. */
const MAX_NICK = 200;

/** Converts text to a valid nick that the room does not change. */
export function fitNick(wanted: string): string {
  const nick = wanted
    .normalize('NFKC')
    .replaceAll(/[\p{C}\p{Z}\s]+/gu, ' ')
    .trim();
  return Array.from(nick).slice(0, 64).join('').trim() || 'guest';
}

/** Returns the nick for an attempt, with a number added after the first. @param turn starts at 0 */
export const nickAt = (nick: string, turn: number): string => (turn === 0 ? nick : `${nick}${turn + 1}`);

/** Returns the nick as it is displayed, cut to a maximum length. */
export const shownNick = (nick: string): string => nick.slice(0, MAX_NICK);

/** Returns the address of a room that we create, which is the same on each attempt. @param clientId `[0-9a-z_]{30}` */
export const madeRoom = (clientId: string, service: string): string => `${clientId}@${service}`;

/** Returns a link (XEP-0147) with which clients enter the room. */
export function inviteUrl(room: string, password: string | null): string {
  const { local, domain } = parseJid(room) ?? { local: null, domain: room };
  const address = local === null ? domain : `${encodeURIComponent(local)}@${domain}`;
  return `xmpp:${address}?join${password === null ? '' : `;password=${encodeURIComponent(password)}`}`;
}

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/**
 * @param invite `xmpp:room@service?join;password=…`, or the room's address
 * @throws DriverError rejected if it is neither
 */
export function readInvite(invite: string): { room: string; password: string | null } {
  const [address = '', query = ''] = invite
    .trim()
    .replace(/^xmpp:(\/\/[^/]*\/)?/i, '')
    .split('?', 2);
  const jid = parseJid(invite.trim().toLowerCase().startsWith('xmpp:') ? decoded(address) : address);
  if (!jid || jid.local === null || jid.resource !== null)
    throw new DriverError(
      'rejected',
      'invalid_invite',
      'An invitation must have the form xmpp:room@service?join, or be the address of a room.',
    );
  const password = query
    .split(/[;&]/)
    .map((part) => part.split('=', 2))
    .find(([name]) => name === 'password')?.[1];
  return { room: bareJid(jid), password: password ? decoded(password) : null };
}

/** Returns the nick exactly as the room writes it; null for the room itself. */
export function getNick(from: string | undefined): string | null {
  const slash = from?.indexOf('/') ?? -1;
  return slash === -1 ? null : from!.slice(slash + 1);
}
