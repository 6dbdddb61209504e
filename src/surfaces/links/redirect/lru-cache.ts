/**
 * An approximate LRU cache limited by entries and weight, with two generations. An entry that is used moves to the
 * young generation. When that is full, it becomes the old generation, and the previous old one is dropped. A hit costs
 * one or two lookups; nothing is sorted, and entries store no time of use.
 */
export interface LruCache<V> {
  get(key: string): V | undefined;
  has(key: string): boolean;
  set(key: string, value: V): void;
  delete(key: string): void;
  /** Deletes matching entries; scans the whole cache. */
  deleteWhere(matches: (value: V, key: string) => boolean): void;
  clear(): void;
  size(): number;
}

export interface LruCacheOptions<V> {
  /** Of both generations together. */
  maxEntries: number;
  /** Of both generations together, in the unit of `weigh`. */
  maxWeight: number;
  weigh: (value: V, key: string) => number;
}

export function createLruCache<V>(options: LruCacheOptions<V>): LruCache<V> {
  const { weigh } = options;
  const maxEntries = Math.max(1, Math.floor(options.maxEntries / 2));
  const maxWeight = options.maxWeight / 2;
  let young = new Map<string, V>();
  let old = new Map<string, V>();
  let weight = 0;

  const put = (key: string, value: V): void => {
    weight += weigh(value, key);
    if (young.size >= maxEntries || (weight > maxWeight && young.size > 0)) {
      old = young;
      young = new Map();
      weight = weigh(value, key);
    }
    young.set(key, value);
  };
  const fromOld = (key: string): V | undefined => {
    const value = old.get(key);
    if (value === undefined) return undefined;
    old.delete(key);
    put(key, value);
    return value;
  };

  return {
    get: (key) => young.get(key) ?? fromOld(key),
    has: (key) => young.has(key) || old.has(key),
    set(key, value) {
      old.delete(key);
      put(key, value);
    },
    delete(key) {
      young.delete(key);
      old.delete(key);
    },
    deleteWhere(matches) {
      for (const map of [young, old])
        for (const [key, value] of map) if (matches(value, key)) map.delete(key);
    },
    clear() {
      young = new Map();
      old = new Map();
      weight = 0;
    },
    size: () => young.size + old.size,
  };
}
