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

/** Creates room that remembers nothing of owners that hold none. */
export function createFairRoom(total: number): FairRoom {
  const held = new Map<string, number>();
  let left = total;
  const hold = (owner: string, amount: number): void => {
    left -= amount;
    const own = (held.get(owner) ?? 0) + amount;
    if (own > 0) held.set(owner, own);
    else held.delete(owner);
  };
  return {
    has: (owner, amount) => (held.get(owner) ?? 0) + amount <= TIMES_OF_LEFT * (left - amount),
    hold,
    release: (owner, amount) => hold(owner, -amount),
  };
}
