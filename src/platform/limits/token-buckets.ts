/** Token buckets by name in memory of this process. The least recently used ones are dropped, and are full when they return. */
import { LRUCache } from 'lru-cache';

export interface Rate {
  /** Tokens that come back a minute. */
  perMinute: number;
  burst: number;
}

export interface TokenBuckets {
  /** Whole seconds until a name has a token; 0 where it has one. */
  wait(name: string): number;
  /** Takes a token where there is one. @returns as `wait`: 0 where it was taken */
  take(name: string): number;
  /** Takes a token, or what there is of one. */
  drain(name: string): void;
  /** Gives back a token that was taken. */
  give(name: string): void;
}

export function createTokenBuckets(
  { perMinute, burst }: Rate,
  max: number,
  now: () => number = () => performance.now(),
): TokenBuckets {
  const buckets = new LRUCache<string, { left: number; at: number }>({
    maxSize: max,
    sizeCalculation: () => 1,
  });
  const leftAt = (name: string, at: number): number => {
    const before = buckets.peek(name) ?? { left: burst, at };
    return Math.min(burst, before.left + ((at - before.at) * perMinute) / 60_000);
  };
  const put = (name: string, left: number, at: number): void => void buckets.set(name, { left, at });
  const waitFor = (left: number): number => (left >= 1 ? 0 : Math.ceil(((1 - left) * 60) / perMinute));
  return {
    wait: (name) => waitFor(leftAt(name, now())),
    take(name) {
      const at = now();
      const left = leftAt(name, at);
      put(name, left >= 1 ? left - 1 : left, at);
      return waitFor(left);
    },
    drain(name) {
      const at = now();
      put(name, Math.max(0, leftAt(name, at) - 1), at);
    },
    give(name) {
      const at = now();
      put(name, Math.min(burst, leftAt(name, at) + 1), at);
    },
  };
}
