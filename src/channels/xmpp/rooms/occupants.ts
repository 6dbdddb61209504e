/**
 * Occupants of a room: those on its lists of owners, admins and members, and those present. Changes are kept until they
 * are emitted, one per address, so a flood of presences costs no more than its people. All rooms of a connection share
 * one allowance, because strangers can bring an account into any number of large rooms.
 */
import type { GroupParticipant, GroupRole } from '../../contract/connection.ts';
import type { GroupParticipantChange } from '../../contract/signal.ts';
import { shownNick } from './room-address.ts';
import type { Affiliation } from './muc.ts';

/** Maximum per room, as in the engine. Messages of further people are received, but they are not counted. */
export const MAX_PEOPLE = 5000;
/** Maximum for all rooms of a connection together, not counting the first `ALWAYS_KEPT` of each. */
export const MAX_PEOPLE_IN_ALL = 50_000;
/** Kept for each room regardless of the others, so that large rooms never displace the people of a small one. */
const ALWAYS_KEPT = 50;
/** Occupants of the same person that are checked for the person's role. */
const MAX_PLACES = 20;

/** Counts the people that all rooms of a connection hold beyond `ALWAYS_KEPT`. */
export interface Allowance {
  held: number;
}

export interface Occupant {
  nick: string;
  address: string;
  affiliation: Affiliation;
  role: string;
  /** The occupant ID (XEP-0421); null if the room gives none. */
  id: string | null;
  /** Distinguishes this stay under the nick from a later one by another person. */
  stay: string;
}

type Gone = NonNullable<GroupParticipantChange['gone']>;

export interface Occupants {
  readonly byNick: ReadonlyMap<string, Occupant>;
  byId(id: string): Occupant | null;
  /** Returns the nicks under which an address is present. */
  getNicks(address: string): readonly string[];
  getAffiliation(address: string): Affiliation;
  /** @param by the actor; null if unknown */
  enter(occupant: Occupant, by: string | null): void;
  leave(nick: string, gone: Gone, by: string | null): void;
  /** Changes a person's entry in the lists. Has no effect if the room doesn't show them. */
  affiliate(address: string, affiliation: Affiliation, by: string | null): void;
  /** Replaces the room's lists; null if the room does not show them. */
  setLists(lists: ReadonlyMap<string, GroupRole> | null): void;
  all(): GroupParticipant[];
  /** Like `all`, for a response that is stored separately; differences from it are reported, too. */
  handOut(): GroupParticipant[];
  /** Returns all occupants, which includes changes that are not emitted yet. */
  takeAll(): GroupParticipant[];
  /** Returns changes that are not emitted yet, grouped by actor. */
  takeChanges(): { by: string | null; changed: GroupParticipantChange[] }[];
  clear(): void;
}

const RANK: Record<GroupRole, number> = { owner: 2, admin: 1, member: 0 };
const getRole = (affiliation: Affiliation): GroupRole =>
  affiliation === 'owner' || affiliation === 'admin' ? affiliation : 'member';

/** Whether emitting it would change nothing. */
const isSame = (was: GroupParticipant | null, is: GroupParticipant | null): boolean =>
  was === null || is === null
    ? was === is
    : was.role === is.role && (is.name === undefined || was.name === is.name);

/** @param allowance shared with all other rooms of the connection */
export function createOccupants(allowance: Allowance = { held: 0 }): Occupants {
  const occupants = new Map<string, Occupant>();
  const byId = new Map<string, Occupant>();
  const nicks = new Map<string, Set<string>>();
  let lists: Map<string, GroupRole> | null = null;
  let told = new Map<string, GroupParticipant>();
  let dirty = new Map<string, { by: string | null; gone: Gone; role: GroupRole | null }>();
  /** The occupants in the last response. */
  let handed: Map<string, GroupParticipant> | null = null;
  let held = 0;

  const touch = (address: string, by: string | null, gone: Gone = 'left'): void => {
    const role = now(address)?.role ?? null;
    const last = dirty.get(address);
    // People who came and left in the meantime are not reported.
    if (role === null && !told.has(address) && !handed?.has(address)) dirty.delete(address);
    // The actor is kept with the change until a different change follows.
    else if (!last || last.role !== role || by !== null || (role === null && gone !== last.gone))
      dirty.set(address, { by, gone, role });
  };
  /** Updates the allowance. Called after each change in the number of people. */
  const count = (): void => {
    const is = Math.max(0, Math.max(occupants.size, lists?.size ?? 0, told.size) - ALWAYS_KEPT);
    allowance.held += is - held;
    held = is;
  };
  /** Returns how many people this room may keep. */
  const places = (): number =>
    Math.min(MAX_PEOPLE, ALWAYS_KEPT + held + Math.max(0, MAX_PEOPLE_IN_ALL - allowance.held));
  const now = (address: string): GroupParticipant | null => {
    const present: Occupant[] = [];
    for (const nick of nicks.get(address) ?? []) if (present.push(occupants.get(nick)!) === MAX_PLACES) break;
    const listed = lists?.get(address);
    if (present.length === 0) return listed ? { address, role: listed } : null;
    const roles = [...present.map(({ affiliation }) => getRole(affiliation)), ...(listed ? [listed] : [])];
    const role = roles.reduce((best, other) => (RANK[other] > RANK[best] ? other : best));
    return { address, role: listed ?? role, name: shownNick(present[0]!.nick) };
  };
  const forget = (nick: string): Occupant | null => {
    const old = occupants.get(nick);
    if (!old) return null;
    occupants.delete(nick);
    if (old.id !== null && byId.get(old.id) === old) byId.delete(old.id);
    const others = nicks.get(old.address)!;
    others.delete(nick);
    if (others.size === 0) nicks.delete(old.address);
    return old;
  };

  const all = (): GroupParticipant[] =>
    [...new Set([...(lists?.keys() ?? []), ...nicks.keys()])]
      .slice(0, MAX_PEOPLE)
      .map((address) => now(address)!);

  return {
    byNick: occupants,
    byId: (id) => byId.get(id) ?? null,
    getNicks: (address) => [...(nicks.get(address) ?? [])],
    getAffiliation(address) {
      const nick = nicks.get(address)?.values().next().value;
      return lists?.get(address) ?? (nick === undefined ? 'none' : occupants.get(nick)!.affiliation);
    },
    enter(occupant, by) {
      const { nick, address } = occupant;
      if (!occupants.has(nick) && occupants.size >= places()) return;
      const old = forget(nick);
      if (old && old.address !== address) touch(old.address, by);
      occupants.set(nick, occupant);
      if (occupant.id !== null) byId.set(occupant.id, occupant);
      const own = nicks.get(address) ?? new Set();
      own.add(nick);
      nicks.set(address, own);
      touch(address, by);
      count();
    },
    leave(nick, gone, by) {
      const old = forget(nick);
      if (old) touch(old.address, by, gone);
      count();
    },
    affiliate(address, affiliation, by) {
      if (!lists) return;
      if (affiliation === 'none' || affiliation === 'outcast') {
        // People on no list are unchanged.
        if (!lists.delete(address) && affiliation === 'none') return;
      } else if (lists.has(address) || lists.size < places()) lists.set(address, affiliation);
      // Nothing is kept about people who don't fit on a full list.
      else if (!nicks.has(address)) return;
      touch(address, by, affiliation === 'outcast' ? 'banned' : 'removed');
      count();
    },
    setLists(given) {
      const old = lists;
      lists = given && new Map([...given].slice(0, places()));
      for (const [address, role] of lists ?? []) if (old?.get(address) !== role) touch(address, null);
      for (const address of old?.keys() ?? []) if (!lists?.has(address)) touch(address, null, 'removed');
      count();
    },
    all,
    handOut() {
      const everybody = all();
      handed = new Map(everybody.map((one) => [one.address, one]));
      return everybody;
    },
    takeAll() {
      const everybody = all();
      told = new Map(everybody.map((one) => [one.address, one]));
      dirty = new Map();
      count();
      return everybody;
    },
    takeChanges() {
      const taken = dirty;
      dirty = new Map();
      const groups = new Map<string | null, GroupParticipantChange[]>();
      for (const [address, { by, gone }] of taken) {
        const [was, is] = [told.get(address) ?? null, now(address)];
        if (!was && is && told.size >= MAX_PEOPLE) continue;
        if (isSame(was, is) && (handed === null || isSame(handed.get(address) ?? null, is))) continue;
        if (is) told.set(address, { ...was, ...is });
        else told.delete(address);
        const changed = groups.get(by) ?? [];
        if (is) handed?.set(address, is);
        else handed?.delete(address);
        changed.push(is ?? { address, role: null, gone });
        groups.set(by, changed);
      }
      count();
      return [...groups].map(([by, changed]) => ({ by, changed }));
    },
    clear() {
      occupants.clear();
      byId.clear();
      nicks.clear();
      lists = null;
      told = new Map();
      dirty = new Map();
      handed = null;
      count();
    },
  };
}
