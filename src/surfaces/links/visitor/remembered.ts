/**
 * A bounded cache by text with two generations. Recently used entries stay cached. Texts made up by an attacker cost no
 * more than their computation. Holds at most twice `max` entries.
 */
export interface Remembered<V> {
  get(key: string): V;
  clear(): void;
}

/** Creates the cache. @param make computes a value; must be pure and never return undefined */
export function remembered<V>(max: number, make: (key: string) => V): Remembered<V> {
  let young = new Map<string, V>();
  let old = new Map<string, V>();
  return {
    get(key) {
      const found = young.get(key);
      if (found !== undefined) return found;
      const value = old.get(key) ?? make(key);
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
