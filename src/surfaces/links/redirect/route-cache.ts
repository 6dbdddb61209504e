/**
 * Caches rows by key (slugs, hosts). Existing and missing keys are cached separately, so that a scanner that tries
 * names cannot evict links in use.
 *
 * Misses are batched: one query runs at a time and reads all keys requested meanwhile, each once. A value that is read
 * while its key is invalidated is returned to the waiting callers but not cached, because it may be outdated.
 */
import { LRUCache } from 'lru-cache';

export interface RouteCache<V> {
  /** Returns undefined if the key is not cached, and null if it is known not to exist. */
  peek(key: string): V | null | undefined;
  /** Like `peek`, but only for existing keys. */
  peekFound(key: string): V | undefined;
  /** Reads a key from the database. Rejects if the database does not respond in time or too many reads are queued. */
  read(key: string): Promise<V | null>;
  /** Invalidates keys. Cached existing keys are reloaded. */
  refresh(keys: Iterable<string>): Promise<void>;
  deleteWhere(matches: (value: V, key: string) => boolean, missing: (key: string) => boolean): void;
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
  /** Reads the existing values of keys. */
  readAll: (keys: string[]) => Promise<Map<string, V>>;
  maxMissing: number;
}

interface PendingRead<V> {
  promise: Promise<V | null>;
  resolve(value: V | null): void;
  reject(error: unknown): void;
}

/** Maximum number of keys per query. */
const MAX_BATCH = 1_000;
const MAX_QUEUED = 20_000;

export function createRouteCache<V extends object>(options: RouteCacheOptions<V>): RouteCache<V> {
  const { readAll, maxEntries, maxWeight, weigh, maxMissing } = options;
  // Entries are bounded by a minimum size: with `max` the cache would allocate for all of them at start.
  const minSize = Math.ceil(maxWeight / maxEntries);
  const found = new LRUCache<string, V>({
    maxSize: maxWeight,
    sizeCalculation: (value) => Math.max(minSize, Math.ceil(weigh(value))),
  });
  const missing = new LRUCache<string, true>({ maxSize: maxMissing, sizeCalculation: () => 1 });
  let queued = new Map<string, PendingRead<V>>();
  let inFlight = new Map<string, PendingRead<V>>();
  /** Keys that were invalidated while being read. */
  const dirty = new Set<string>();
  let hits = 0;
  let misses = 0;

  const store = (key: string, value: V | null): void => {
    if (value === null) {
      found.delete(key);
      // Copied: a substring would keep the whole string in memory.
      missing.set(Buffer.from(key).toString(), true);
    } else {
      missing.delete(key);
      found.set(key, value);
    }
  };

  const readQueued = async (): Promise<void> => {
    const batch = [...queued].slice(0, MAX_BATCH);
    inFlight = new Map(batch);
    for (const [key] of batch) queued.delete(key);
    try {
      const values = await readAll(batch.map(([key]) => key));
      for (const [key, { resolve }] of batch) {
        const value = values.get(key) ?? null;
        if (!dirty.has(key)) store(key, value);
        resolve(value);
      }
    } catch (error) {
      for (const [, { reject }] of batch) reject(error);
    }
    dirty.clear();
    inFlight = new Map();
    if (queued.size) void readQueued();
  };

  const invalidate = (key: string): void => {
    missing.delete(key);
    if (inFlight.has(key)) dirty.add(key);
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
      const pending = inFlight.get(key) ?? queued.get(key);
      if (pending) return pending.promise;
      if (queued.size >= MAX_QUEUED) return Promise.reject(new Error('too many lookups are queued'));
      misses++;
      const pendingRead = Promise.withResolvers<V | null>();
      pendingRead.promise.catch(() => undefined); // every waiting caller handles the rejection
      if (queued.size === 0 && inFlight.size === 0) setImmediate(() => void readQueued());
      queued.set(key, pendingRead);
      return pendingRead.promise;
    },
    async refresh(keys) {
      const cached: string[] = [];
      for (const key of keys) {
        invalidate(key);
        if (found.has(key)) cached.push(key);
      }
      for (let at = 0; at < cached.length; at += MAX_BATCH) {
        const part = cached.slice(at, at + MAX_BATCH);
        const values = await readAll(part);
        for (const key of part) store(key, values.get(key) ?? null);
      }
    },
    deleteWhere(fits, missingFits) {
      const stale = [...found.entries()].filter(([key, value]) => fits(value, key)).map(([key]) => key);
      for (const key of stale) found.delete(key);
      for (const key of [...missing.keys()].filter(missingFits)) missing.delete(key);
      for (const key of inFlight.keys()) dirty.add(key);
    },
    clear() {
      found.clear();
      missing.clear();
      for (const key of inFlight.keys()) dirty.add(key);
    },
    size: () => ({ found: found.size, missing: missing.size }),
    hits: () => hits,
    misses: () => misses,
  };
}
