/**
 * Protects public addresses (inspectors, publishing endpoints, channels) from exhausting memory, disk or database: rates
 * per target and per caller, and limits on concurrent requests. In memory of each process, bounded.
 */
import { Problem } from './problem.ts';
import { createFairRoom } from '../limits/fair-room.ts';
import { callerPath } from './caller-address.ts';
import { createTokenBuckets, type Rate } from '../limits/token-buckets.ts';

const MAX_BUCKETS = 20_000;

const tooMany = (seconds: number): Problem =>
  new Problem('rate_limited', 'Too many requests to this address. Try again later.', {
    headers: { 'retry-after': String(seconds) },
  });

/** @returns takes a token of a name's bucket, @throws Problem rate_limited where there is none */
export function createRates(rate: Rate): (name: string) => void {
  const buckets = createTokenBuckets(rate, MAX_BUCKETS);
  return (name) => {
    const seconds = buckets.take(name);
    if (seconds > 0) throw tooMany(seconds);
  };
}

/**
 * Limits the concurrent requests of all callers. What is under way before its target is known counts for the caller's
 * site, then for the person whose target it is. Each of them may have three times what is left (fair-room.ts).
 */
export function createSharedInFlight(max: number) {
  const strangers = createFairRoom(max);
  const persons = createFairRoom(max);
  const enter = (room: typeof strangers, owner: string): (() => void) => {
    if (!room.has(owner, 1)) throw tooMany(1);
    room.hold(owner, 1);
    return () => room.release(owner, 1);
  };
  return {
    /** Runs the lookup of a request's target. @param address of the caller @throws Problem rate_limited */
    async lookUp<T>(address: string, find: () => Promise<T>): Promise<T> {
      using held = new DisposableStack();
      held.defer(enter(strangers, callerPath(address)[0]));
      return await find();
    },
    /** @returns to be called at the end. @throws Problem rate_limited */
    enter: (person: string): (() => void) => enter(persons, person),
  };
}

/** Counts concurrent requests by name. */
export function createInFlight() {
  const counts = new Map<string, number>();
  return {
    /** @returns to be called at the end. @throws Problem rate_limited where `most` of this name are under way */
    enter(name: string, max: number): () => void {
      const count = counts.get(name) ?? 0;
      if (count >= max) throw tooMany(1);
      counts.set(name, count + 1);
      return () => {
        const left = counts.get(name)! - 1;
        if (left > 0) counts.set(name, left);
        else counts.delete(name);
      };
    },
  };
}
