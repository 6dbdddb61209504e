/** Small settings of the console that this browser keeps, one JSON value a key. */
import { useState } from 'react';

function read<T>(key: string, fallback: T): T {
  try {
    const text = localStorage.getItem(key);
    return text === null ? fallback : (JSON.parse(text) as T);
  } catch {
    // Written by another version, or storage is switched off.
    return fallback;
  }
}

/** A state that outlives the page. @param key unique in the console */
export function useStored<T>(key: string, fallback: T): [T, (value: T) => void] {
  const [value, setValue] = useState<T>(() => read(key, fallback));
  return [
    value,
    (next) => {
      setValue(next);
      try {
        localStorage.setItem(key, JSON.stringify(next));
      } catch {
        // Storage is full or switched off: it lasts as long as the page.
      }
    },
  ];
}
