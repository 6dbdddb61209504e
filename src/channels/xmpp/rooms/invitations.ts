/**
 * Invitations that others send: by a room in somebody's name (XEP-0045, 7.8.2), or by a person directly (XEP-0249). Anybody
 * can write one, so what is invited to is asked whether it is a room before it is entered, a few at a time, and only some are
 * entered in an hour. Where entering fails for now it is tried again, as long as the connection is up.
 */
import type { Element } from '@xmpp/xml';
import type { Log } from '../../../platform/logging/log.ts';
import { parseJid, readBare } from '../wire/address.ts';
import { MUC, onlyChild } from './muc.ts';
import { getNick } from './room-address.ts';

export interface Invitation {
  /** Bare, normalized. */
  room: string;
  password: string | null;
  /** The inviter, if known. */
  by: string | null;
}

const MAX_PASSWORD = 1000;
/** Which are tried again among them. */
const MAX_OPEN = 50;
const MAX_AT_ONCE = 2;
/** Rooms that are entered by invitation in an hour: strangers may invite to any number, of any size. */
export const MAX_AN_HOUR = 20;
const HOUR_MS = 3_600_000;
/** Before each further try. */
export const RETRY_MS = [5000, 30_000, 120_000, 600_000];

const passwordIn = (text: string | null | undefined): string | null =>
  text && text.length <= MAX_PASSWORD ? text : null;

/** @returns null for what is none */
export function readInvitation(stanza: Element): Invitation | null {
  const { type, from } = stanza.attrs as { type?: string; from?: string };
  if (stanza.getName() !== 'message' || type === 'error' || type === 'groupchat') return null;
  const user = onlyChild(stanza, 'x', MUC.user);
  const invite = user?.getChild('invite');
  if (user && invite) {
    const room = roomIn(from);
    // What comes from a resource is somebody's who plays a room.
    if (room === null || getNick(from) !== null) return null;
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

export type Accepted =
  | 'entered'
  /** Permanent. */
  | 'refused'
  /** It may be entered later. */
  | 'later';

export interface Invitations {
  /** @returns whether it was one */
  take(stanza: Element): boolean;
  stop(): void;
}

/** One that waits, runs, or is tried again. */
interface Open {
  invitation: Invitation;
  /** How often it was tried. */
  tries: number;
  state: 'waiting' | 'running' | 'later';
  timer: NodeJS.Timeout | null;
}

export function createInvitations(deps: {
  isTaken(room: string): boolean;
  /** Never rejects. */
  accept(invitation: Invitation): Promise<Accepted>;
  log: Pick<Log, 'warn'>;
}): Invitations {
  const { log } = deps;
  const open = new Map<string, Open>();
  let hour = { since: 0, entered: 0, isLogged: false };
  let isStopped = false;

  /** How many more may be entered in this hour. */
  const left = (): number => {
    const now = performance.now();
    if (now - hour.since > HOUR_MS) hour = { since: now, entered: 0, isLogged: false };
    return MAX_AN_HOUR - hour.entered;
  };
  const drop = (room: string): void => {
    open.delete(room);
    // Once, because who invites without end must not fill the log either.
    if (!hour.isLogged) log.warn({ room }, 'Too many invitations: those of the next time are not followed');
    hour.isLogged = true;
  };
  const later = (room: string, one: Open): void => {
    const ms = RETRY_MS[one.tries - 1];
    if (isStopped || ms === undefined) return void open.delete(room);
    one.state = 'later';
    one.timer = setTimeout(() => {
      one.state = 'waiting';
      next();
    }, ms).unref();
  };
  const run = async (room: string, one: Open): Promise<void> => {
    one.state = 'running';
    one.tries += 1;
    const accepted = await deps.accept(one.invitation);
    if (accepted === 'entered') hour.entered += 1;
    if (accepted === 'later') later(room, one);
    else open.delete(room);
    next();
  };
  /** What failed before makes room for what was never tried. */
  const hasRoom = (): boolean => {
    const [room, one] = [...open].find(([, { state }]) => state === 'later') ?? [];
    if (open.size < MAX_OPEN || room === undefined) return open.size < MAX_OPEN;
    if (one?.timer) clearTimeout(one.timer);
    return open.delete(room);
  };
  const next = (): void => {
    if (isStopped) return;
    const rest = left();
    let running = [...open.values()].filter(({ state }) => state === 'running').length;
    for (const [room, one] of open) {
      if (one.state !== 'waiting') continue;
      if (rest <= 0) drop(room);
      else if (running < Math.min(MAX_AT_ONCE, rest)) {
        running += 1;
        void run(room, one);
      }
    }
  };

  return {
    take(stanza) {
      const invitation = readInvitation(stanza);
      if (!invitation || isStopped) return invitation !== null;
      const { room } = invitation;
      const known = open.get(room);
      // The same person's clients send both kinds; the first counts, unless only the second has the password.
      if (known && known.state !== 'running') {
        if (known.invitation.password === null && invitation.password !== null) known.invitation = invitation;
      } else if (!known && !deps.isTaken(room) && hasRoom())
        open.set(room, { invitation, tries: 0, state: 'waiting', timer: null });
      next();
      return true;
    },
    stop() {
      isStopped = true;
      for (const { timer } of open.values()) if (timer) clearTimeout(timer);
      open.clear();
    },
  };
}
