/**
 * A bounded cache by text, in two generations: what was asked for lately stays, and what an enemy makes up pushes out
 * no more than a look-up costs. Never holds more than twice `most`.
 */
export interface Remembered<V> {
  get(key: string): V;
  clear(): void;
}

/** @param make what is remembered: pure, and never undefined */
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
