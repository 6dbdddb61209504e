/**
 * Room, as of memory, that is shared by who holds it: each may hold up to three times what is left (dynamic thresholds,
 * as switches share their memory). So one alone gets three quarters, a share shrinks with the number of those that hold
 * something, and there is always some left for whoever comes.
 */
const TIMES_OF_LEFT = 3;

export interface FairRoom {
  has(owner: string, amount: number): boolean;
  /** Whether or not there is room. */
  hold(owner: string, amount: number): void;
  release(owner: string, amount: number): void;
}

/** A part of the room in which nobody may hold more than a little, for room that is held for long. */
export interface Reserve {
  total: number;
  /** What each may hold of it. */
  each: number;
}

/**
 * Creates room that remembers nothing of owners that hold none.
 * @param reserve left for owners that hold little: those that come first take most of the rest, and may keep it
 */
export function createFairRoom(total: number, reserve: Reserve = { total: 0, each: 0 }): FairRoom {
  const held = new Map<string, number>();
  let left = total;
  const hold = (owner: string, amount: number): void => {
    left -= amount;
    const own = (held.get(owner) ?? 0) + amount;
    if (own > 0) held.set(owner, own);
    else held.delete(owner);
  };
  return {
    has(owner, amount) {
      const own = (held.get(owner) ?? 0) + amount;
      if (own <= reserve.each) return amount <= left;
      return own <= TIMES_OF_LEFT * (left - reserve.total - amount);
    },
    hold,
    release: (owner, amount) => hold(owner, -amount),
  };
}
