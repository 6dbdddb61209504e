/**
 * A bounded cache by text with two generations. Recently used entries stay cached. Texts made up by an attacker cost no
 * more than their computation. Holds at most twice `max` entries.
 */
export interface TextCache<V> {
  get(key: string): V;
  clear(): void;
}

/** Creates the cache. @param compute computes a value; must be pure and never return undefined */
export function createTextCache<V>(max: number, compute: (key: string) => V): TextCache<V> {
  let young = new Map<string, V>();
  let old = new Map<string, V>();
  return {
    get(key) {
      const found = young.get(key);
      if (found !== undefined) return found;
      const value = old.get(key) ?? compute(key);
      if (young.size >= max) {
        old = young;
        young = new Map();
      }
      young.set(key, value);
      return value;
    },
    clear() {
      young = new Map();
      old = new Map();
    },
  };
}
