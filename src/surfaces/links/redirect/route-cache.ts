/**
 * What the database says of keys (slugs, hosts), kept in memory: what exists, and apart from it what does not, so that
 * a scanner that tries names cannot push out what is visited.
 *
 * Misses are gathered: one statement is under way at a time and reads all that were asked for meanwhile, each key once.
 * What is read while a change of it becomes known is given to those who wait and not kept, as it may be from before.
 */
import { LRUCache } from 'lru-cache';

export interface RouteCache<V> {
  /** Undefined: not known; null: known not to exist. */
  peek(key: string): V | null | undefined;
  /** As `peek`, of what exists alone. */
  peekFound(key: string): V | undefined;
  /** Asks the database. Rejects where it doesn't answer in time, or too many wait. */
  read(key: string): Promise<V | null>;
  /** What is kept of these keys is read anew; what is not kept may be asked for again. */
  refresh(keys: Iterable<string>): Promise<void>;
  forgetWhere(fits: (value: V, key: string) => boolean, missing: (key: string) => boolean): void;
  clear(): void;
  size(): { found: number; missing: number };
  hits(): number;
  misses(): number;
}

export interface RouteCacheOptions<V> {
  maxEntries: number;
  /** Maximum total weight of entries, in the unit of `weigh`. */
  maxWeight: number;
  weigh: (value: V) => number;
  /** Reads what exists of these keys. */
  readAll: (keys: string[]) => Promise<Map<string, V>>;
  maxMissing: number;
}

interface Wanted<V> {
  promise: Promise<V | null>;
  resolve(value: V | null): void;
  reject(error: unknown): void;
}

/** Keys in one statement. */
const MAX_AT_ONCE = 1_000;
const MAX_WAITING = 20_000;

export function createRouteCache<V extends object>(options: RouteCacheOptions<V>): RouteCache<V> {
  const { readAll, maxEntries, maxWeight, weigh, maxMissing } = options;
  // Entries are bounded by a minimum size: with `max` the cache would allocate for all of them at start.
  const minSize = Math.ceil(maxWeight / maxEntries);
  const found = new LRUCache<string, V>({
    maxSize: maxWeight,
    sizeCalculation: (value) => Math.max(minSize, Math.ceil(weigh(value))),
  });
  const missing = new LRUCache<string, true>({ maxSize: maxMissing, sizeCalculation: () => 1 });
  let waiting = new Map<string, Wanted<V>>();
  let underWay = new Map<string, Wanted<V>>();
  /** Keys under way that changed meanwhile. */
  const dirty = new Set<string>();
  let hits = 0;
  let misses = 0;

  const keep = (key: string, value: V | null): void => {
    if (value === null) {
      found.delete(key);
      // A part of a longer text would keep all of it in memory.
      missing.set(Buffer.from(key).toString(), true);
    } else {
      missing.delete(key);
      found.set(key, value);
    }
  };

  const readWaiting = async (): Promise<void> => {
    const batch = [...waiting].slice(0, MAX_AT_ONCE);
    underWay = new Map(batch);
    for (const [key] of batch) waiting.delete(key);
    try {
      const values = await readAll(batch.map(([key]) => key));
      for (const [key, { resolve }] of batch) {
        const value = values.get(key) ?? null;
        if (!dirty.has(key)) keep(key, value);
        resolve(value);
      }
    } catch (error) {
      for (const [, { reject }] of batch) reject(error);
    }
    dirty.clear();
    underWay = new Map();
    if (waiting.size) void readWaiting();
  };

  const changed = (key: string): void => {
    missing.delete(key);
    if (underWay.has(key)) dirty.add(key);
  };

  return {
    peek(key) {
      const value = found.get(key);
      if (value !== undefined) {
        hits++;
        return value;
      }
      if (missing.get(key) === undefined) return undefined;
      hits++;
      return null;
    },
    peekFound: (key) => found.get(key),
    read(key) {
      const there = underWay.get(key) ?? waiting.get(key);
      if (there) return there.promise;
      if (waiting.size >= MAX_WAITING) return Promise.reject(new Error('too many look-ups wait'));
      misses++;
      const wanted = Promise.withResolvers<V | null>();
      wanted.promise.catch(() => undefined); // each who waits has it too
      if (waiting.size === 0 && underWay.size === 0) setImmediate(() => void readWaiting());
      waiting.set(key, wanted);
      return wanted.promise;
    },
    async refresh(keys) {
      const kept: string[] = [];
      for (const key of keys) {
        changed(key);
        if (found.has(key)) kept.push(key);
      }
      for (let at = 0; at < kept.length; at += MAX_AT_ONCE) {
        const part = kept.slice(at, at + MAX_AT_ONCE);
        const values = await readAll(part);
        for (const key of part) keep(key, values.get(key) ?? null);
      }
    },
    forgetWhere(fits, missingFits) {
      const stale = [...found.entries()].filter(([key, value]) => fits(value, key)).map(([key]) => key);
      for (const key of stale) found.delete(key);
      for (const key of [...missing.keys()].filter(missingFits)) missing.delete(key);
      for (const key of underWay.keys()) dirty.add(key);
    },
    clear() {
      found.clear();
      missing.clear();
      for (const key of underWay.keys()) dirty.add(key);
    },
    size: () => ({ found: found.size, missing: missing.size }),
    hits: () => hits,
    misses: () => misses,
  };
}
