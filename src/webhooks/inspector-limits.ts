/**
 * What keeps an address that anybody may call from taking the server's memory, disk or database: rates by inspector
 * and by caller, how many requests are held at once, how many are written at once. In memory of each process, bounded.
 */
import ipaddr from 'ipaddr.js';
import { Problem } from '../http/problem.ts';

export interface Rate {
  perMinute: number;
  burst: number;
}

const MOST_BUCKETS = 20_000;

/** Token buckets by name; the longest unused is forgotten, and is full when it returns. */
export function createBuckets({ perMinute, burst }: Rate, now: () => number = () => performance.now()) {
  const buckets = new Map<string, { left: number; at: number }>();
  return {
    /** @throws Problem rate_limited */
    take(name: string): void {
      const at = now();
      const before = buckets.get(name) ?? { left: burst, at };
      const left = Math.min(burst, before.left + ((at - before.at) * perMinute) / 60_000);
      buckets.delete(name);
      buckets.set(name, { left: left >= 1 ? left - 1 : left, at });
      if (buckets.size > MOST_BUCKETS) buckets.delete(buckets.keys().next().value!);
      if (left >= 1) return;
      throw tooMany(Math.ceil(((1 - left) * 60) / perMinute));
    },
    size: (): number => buckets.size,
  };
}

const tooMany = (seconds: number): Problem =>
  new Problem('rate_limited', 'This address takes no more requests at this moment.', {
    headers: { 'retry-after': String(seconds) },
  });

/** IPv6 callers are counted by their /64, which is what one customer gets. */
export function callerGroup(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed.kind() === 'ipv4' ? parsed.toString() : parsed.toByteArray().slice(0, 8).join('.');
}

/** Counts what is under way, by name. */
export function createInFlight() {
  const counts = new Map<string, number>();
  return {
    /** @returns to be called at the end. @throws Problem rate_limited where `most` of this name are under way */
    enter(name: string, most: number): () => void {
      const count = counts.get(name) ?? 0;
      if (count >= most) throw tooMany(1);
      counts.set(name, count + 1);
      return () => {
        const left = counts.get(name)! - 1;
        if (left > 0) counts.set(name, left);
        else counts.delete(name);
      };
    },
  };
}

/** Lets `most` pieces of work run at once, others in their order after them. */
export function createSlots(most: number) {
  let free = most;
  const waiting: (() => void)[] = [];
  return async function run<T>(work: () => Promise<T>): Promise<T> {
    if (free > 0) free--;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free++;
    }
  };
}
