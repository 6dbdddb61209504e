/**
 * Shares a fixed number of slots among persons whose work may take long. A slot can't be taken back, so the rule looks
 * ahead: somebody gets another slot only while enough stay free for persons that hold none.
 *
 * With `S` slots, of which `f` are free, and a reserve `R = ceil(S / 4)`:
 * 1. A person that holds `h ≥ 1` slots may take another one if then at least `max(R, h + 1)` stay free. So one person
 *    alone holds at most half of the slots, and a share shrinks with the number of persons: `n` that came together hold
 *    about `S / (n + 1)` each, and all of them together never more than `S - R` this way.
 *    Within the reserve, where it is large, a person may hold an eighth of what stays free.
 * 2. A person that holds none may take any free slot.
 * 3. With `slow`, work that runs longer than `afterMs` moves from its slot to a slow place, of which there are
 *    `places`. Half of them are left to persons that have none there.
 * 4. With `slow`, a person whose work ran for that long is penalized for `PENALTY_MS`: they take no slot of
 *    the reserve.
 *
 * Bounds, for hung work of `n` persons, whatever each of them has waiting and however many workspaces they own:
 * - While fewer than `R` persons hold their first slot in the reserve, a newcomer finds a slot immediately.
 * - Any number of persons may come at the same moment and fill the reserve with their first work, once. With `slow`, a
 *   newcomer then waits `afterMs` for each `R` of them at most, since that work moves away, and none of these persons can
 *   fill the reserve a second time. This holds for up to `places / 2` persons within the time limit of the work itself.
 * - With one slot there is no reserve: a newcomer waits for the work under way.
 */
import { LRUCache } from 'lru-cache';
import { LinkedList, type Link } from './linked-list.ts';
import type { Party } from './max-min.ts';

const RESERVED = 1 / 4;
/** Part of the free slots that one person may hold in the reserve. */
const OF_RESERVE = 1 / 8;
/** How long persons with slow work take nothing of the reserve. */
const PENALTY_MS = 600_000;
const MAX_PENALTIES = 1_000;

export interface FairSlotsOptions {
  capacity: number;
  /** For work that waits for somebody else's server. Default: all work keeps its slot. */
  slow?: { afterMs: number; places: number };
  now?: () => number;
}

/** A slot that is held, or the slow place that the work has moved to. */
export interface HeldSlot {
  /** Call once, at the end of the work. */
  release(): void;
}

export interface FairSlots {
  /** How many slots are free. */
  free(): number;
  /** Whether a person may take a slot now. */
  may(person: string): boolean;
  /** Takes a slot for a person, whether or not they may. */
  take(person: string): HeldSlot;
  /** Returns the persons that may take no slot now. While one is free, all others may. */
  barred(): string[];
  /**
   * Divides the free slots without taking them: whoever holds least gets the next one, as far as the rule allows.
   * @param wanted how many each person wants
   * @returns how many each may take now
   */
  divide(wanted: ReadonlyMap<string, number>): Map<string, number>;
  /** Milliseconds until work moves away from its slot; null if none will. */
  untilSlow(): number | null;
}

interface Work {
  person: string;
  since: number;
}

const getReserve = (capacity: number): number => (capacity === 1 ? 0 : Math.ceil(capacity * RESERVED));

/** The rule: `own` is what the person holds already. */
function mayHold(capacity: number, free: number, own: number, isPenalized = false): boolean {
  const reserve = getReserve(capacity);
  const left = free - 1;
  if (own === 0) return left >= (isPenalized ? reserve : 0);
  return left >= Math.max(reserve, own + 1) || (!isPenalized && own + 1 <= left * OF_RESERVE);
}

export interface SlotParty extends Party {
  isPenalized?: boolean;
}

/**
 * Divides free slots: whoever holds least gets the next one, as far as the rule allows.
 * @returns what each party gets
 */
export function divideSlots(capacity: number, free: number, parties: readonly SlotParty[]): number[] {
  const given = parties.map(() => 0);
  let left = free;
  const getOwn = (n: number): number => parties[n]!.held + given[n]!;
  const isOpen = (n: number): boolean =>
    given[n]! < parties[n]!.wanted && mayHold(capacity, left, getOwn(n), parties[n]!.isPenalized);
  let open = [...parties.keys()];
  while ((open = open.filter(isOpen)).length > 0) {
    const level = Math.min(...open.map(getOwn));
    for (const n of open)
      if (getOwn(n) === level && isOpen(n)) {
        given[n]! += 1;
        left -= 1;
      }
  }
  return given;
}

export function createFairSlots({
  capacity,
  slow,
  now = () => performance.now(),
}: FairSlotsOptions): FairSlots {
  /** Slots and slow places of each person. */
  const held = new Map<string, number>();
  const slowOf = new Map<string, number>();
  const penalized = new LRUCache<string, true>({
    max: MAX_PENALTIES,
    ttl: PENALTY_MS,
    ttlResolution: 0,
    perf: { now },
  });
  /** What holds a slot, the oldest first. */
  const running = new LinkedList<Work>();
  /** What has moved to a slow place. */
  const moved = new Set<Link<Work>>();
  let used = 0;
  let slowUsed = 0;

  const add = (counts: Map<string, number>, person: string, by: 1 | -1): void => {
    const count = (counts.get(person) ?? 0) + by;
    if (count > 0) counts.set(person, count);
    else counts.delete(person);
  };

  const mayMove = (person: string): boolean => {
    const own = slowOf.get(person) ?? 0;
    const left = slow!.places - slowUsed;
    return own === 0 ? left > 0 : left - 1 >= Math.max(slow!.places / 2, own + 1);
  };

  /** Moves slow work away from its slots. */
  const settle = (): void => {
    if (!slow) return;
    const until = now() - slow.afterMs;
    for (let link = running.first; link && link.value.since <= until; link = link.after) {
      const { person } = link.value;
      penalized.set(person, true);
      if (!mayMove(person)) continue;
      running.remove(link);
      moved.add(link);
      used -= 1;
      slowUsed += 1;
      add(slowOf, person, 1);
    }
  };
  const may = (person: string): boolean =>
    mayHold(capacity, capacity - used, held.get(person) ?? 0, penalized.has(person));

  return {
    free() {
      settle();
      return Math.max(0, capacity - used);
    },
    may(person) {
      settle();
      return may(person);
    },
    take(person) {
      const link = running.append({ person, since: now() });
      used += 1;
      add(held, person, 1);
      return {
        release() {
          settle();
          if (moved.delete(link)) {
            slowUsed -= 1;
            add(slowOf, person, -1);
          } else {
            running.remove(link);
            used -= 1;
          }
          add(held, person, -1);
        },
      };
    },
    barred() {
      settle();
      return [...new Set([...held.keys(), ...penalized.keys()])].filter((person) => !may(person));
    },
    divide(wanted) {
      settle();
      const persons = [...wanted.keys()];
      const parties = persons.map((person) => ({
        held: held.get(person) ?? 0,
        wanted: wanted.get(person)!,
        isPenalized: penalized.has(person),
      }));
      const given = divideSlots(capacity, capacity - used, parties);
      return new Map(persons.map((person, n) => [person, given[n]!]));
    },
    untilSlow() {
      settle();
      const oldest = running.first;
      if (!slow || !oldest) return null;
      const ms = oldest.value.since + slow.afterMs - now();
      return ms > 0 ? ms : null;
    },
  };
}
