/**
 * Requests at a fixed rate, whatever becomes of those before: each has a time at which it is planned, and is waited for
 * from then on. So a stall shows in the waits of all who came while it lasted, and not in that of one alone.
 */
import { setTimeout as delay } from 'node:timers/promises';

/** Milliseconds since 1970, with fractions: what other processes of this machine tell can be compared with it. */
export const wallClock = (): number => performance.timeOrigin + performance.now();

/** By wallClock. */
export interface Took {
  planned: number;
  ended: number;
}

export interface Arrivals {
  /** Those that went well, in the order of their ends. */
  took: Took[];
  /** What went wrong: in words, with how often. */
  faults: Map<string, number>;
}

const addTo = (counts: Map<string, number>, what: string): void =>
  void counts.set(what, (counts.get(what) ?? 0) + 1);

/**
 * Calls `work` `perSecond` times a second for `seconds`, and waits for the last of them.
 * @param work is told its number in all and its planned time (wallClock); what it throws is counted as a fault
 */
export async function arrive(
  perSecond: number,
  seconds: number,
  work: (n: number, planned: number) => Promise<void>,
): Promise<Arrivals> {
  const began = wallClock();
  const count = Math.max(1, Math.round(perSecond * seconds));
  const took: Took[] = [];
  const faults = new Map<string, number>();
  const under = new Set<Promise<void>>();
  const one = async (n: number): Promise<void> => {
    const planned = began + (n * 1000) / perSecond;
    try {
      await work(n, planned);
      took.push({ planned, ended: wallClock() });
    } catch (error) {
      addTo(faults, error instanceof Error ? error.message : String(error));
    }
  };
  for (let n = 0; n < count;) {
    const due = Math.min(count, Math.floor(((wallClock() - began) / 1000) * perSecond) + 1);
    for (; n < due; n++) {
      const running = one(n);
      under.add(running);
      void running.finally(() => under.delete(running));
    }
    await delay(1);
  }
  await Promise.all(under);
  return { took, faults };
}
