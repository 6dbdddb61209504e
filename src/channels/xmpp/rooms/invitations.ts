/**
 * Follows invitations that others send: through a room (XEP-0045, 7.8.2), or directly from a person (XEP-0249). Anyone
 * can send one, so an address is checked to be a room before it is entered, only a few run at a time, and the rooms
 * entered per hour are limited. Temporary failures are retried as long as the connection is up.
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
/** Maximum open invitations, including those that wait for another attempt. */
const MAX_OPEN = 50;
const MAX_AT_ONCE = 2;
/** Maximum rooms entered by invitation per hour: strangers can invite to any number of rooms of any size. */
export const MAX_AN_HOUR = 20;
const HOUR_MS = 3_600_000;
/** The waits before each further attempt. */
export const RETRY_MS = [5000, 30_000, 120_000, 600_000];

const passwordIn = (text: string | null | undefined): string | null =>
  text && text.length <= MAX_PASSWORD ? text : null;

/** @returns null if the stanza is not an invitation */
export function readInvitation(stanza: Element): Invitation | null {
  const { type, from } = stanza.attrs as { type?: string; from?: string };
  if (stanza.getName() !== 'message' || type === 'error' || type === 'groupchat') return null;
  const user = onlyChild(stanza, 'x', MUC.user);
  const invite = user?.getChild('invite');
  if (user && invite) {
    const room = roomIn(from);
    // An invitation from a resource comes from a person who impersonates a room.
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
  /** Temporary. */
  | 'later';

export interface Invitations {
  /** @returns whether the stanza was an invitation */
  take(stanza: Element): boolean;
  stop(): void;
}

/** An invitation that is waiting, running, or to be retried. */
interface Open {
  invitation: Invitation;
  /** Number of attempts so far. */
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

  /** Returns how many more rooms may be entered in this hour. */
  const left = (): number => {
    const now = performance.now();
    if (now - hour.since > HOUR_MS) hour = { since: now, entered: 0, isLogged: false };
    return MAX_AN_HOUR - hour.entered;
  };
  const drop = (room: string): void => {
    open.delete(room);
    // Logged once per hour, because a flood of invitations must not fill the log either.
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
  /** Returns whether another invitation can be kept. One that failed before is dropped in favor of a new one. */
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
      // Clients send both kinds of invitation. The first one counts, unless only the second has the password.
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
