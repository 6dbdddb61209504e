/**
 * Invitations that others send: by a room in somebody's name (XEP-0045, 7.8.2), or by a person directly (XEP-0249). Anybody
 * can write one, so what is invited to is asked whether it is a room before it is entered, a few at a time.
 */
import type { Element } from '@xmpp/xml';
import { parseJid, readBare } from '../address.ts';
import { MUC, onlyChild } from './muc.ts';
import { nickOf } from './room-address.ts';

export interface Invitation {
  /** Bare, normalised. */
  room: string;
  password: string | null;
  /** Who invites, as far as that is told. */
  by: string | null;
}

const LONGEST_PASSWORD = 1000;
const MOST_WAITING = 50;
const MOST_AT_ONCE = 2;

const passwordIn = (text: string | null | undefined): string | null =>
  text && text.length <= LONGEST_PASSWORD ? text : null;

/** @returns null for what is none */
export function readInvitation(stanza: Element): Invitation | null {
  const { type, from } = stanza.attrs as { type?: string; from?: string };
  if (stanza.getName() !== 'message' || type === 'error' || type === 'groupchat') return null;
  const user = onlyChild(stanza, 'x', MUC.user);
  const invite = user?.getChild('invite');
  if (user && invite) {
    const room = roomIn(from);
    // What comes from a resource is somebody's who plays a room.
    if (room === null || nickOf(from) !== null) return null;
    return {
      room,
      password: passwordIn(user.getChildText('password')),
      by: readBare(invite.attrs['from'] as string | undefined),
    };
  }
  const direct = onlyChild(stanza, 'x', MUC.conference);
  const room = roomIn(direct?.attrs['jid'] as string | undefined);
  if (!direct || room === null) return null;
  return { room, password: passwordIn(direct.attrs['password'] as string), by: readBare(from) };
}

const roomIn = (address: string | undefined): string | null => {
  const jid = parseJid(address);
  return jid && jid.local !== null && jid.resource === null ? `${jid.local}@${jid.domain}` : null;
};

export interface Invitations {
  /** @returns whether it was one */
  take(stanza: Element): boolean;
  stop(): void;
}

export function createInvitations(deps: {
  isTaken(room: string): boolean;
  /** Never rejects. */
  accept(invitation: Invitation): Promise<void>;
}): Invitations {
  const waiting = new Map<string, Invitation>();
  const running = new Set<string>();

  const next = (): void => {
    if (running.size >= MOST_AT_ONCE) return;
    const [invitation] = waiting.values();
    if (!invitation) return;
    const { room } = invitation;
    waiting.delete(room);
    running.add(room);
    void deps.accept(invitation).finally(() => {
      running.delete(room);
      next();
    });
    next();
  };

  return {
    take(stanza) {
      const invitation = readInvitation(stanza);
      if (!invitation) return false;
      const { room } = invitation;
      // The same person's clients send both kinds; the first counts, unless only the second has the password.
      const isMore = waiting.get(room)?.password === null && invitation.password !== null;
      const isKnown = waiting.has(room) || running.has(room) || deps.isTaken(room);
      if (isMore || (!isKnown && waiting.size < MOST_WAITING)) waiting.set(room, invitation);
      next();
      return true;
    },
    stop() {
      waiting.clear();
    },
  };
}
