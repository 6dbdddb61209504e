/** The rows of a list that are selected. */
import { useState } from 'react';

export interface Selection<T> {
  /** Only listed rows: rows that a filter hides are never acted on. */
  rows: T[];
  has: (id: string) => boolean;
  toggle: (id: string, range: boolean) => void;
  toggleAll: () => void;
  clear: () => void;
  /** Selects the rows of the next page too, once they are listed. */
  selectNext: () => void;
  /** Of `toggleAll`. */
  state: 'none' | 'some' | 'all';
}

/** Returns the IDs between two rows, both included, in the order of the list. */
export function idsBetween(ids: readonly string[], one: string, other: string): string[] {
  const [from, to] = [ids.indexOf(one), ids.indexOf(other)].toSorted((a, b) => a - b) as [number, number];
  return from < 0 ? [other] : ids.slice(from, to + 1);
}

export function useSelection<T extends { id: string }>(listed: readonly T[]): Selection<T> {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [last, setLast] = useState<string>();
  /** Number of rows listed when the next page was requested. */
  const [before, setBefore] = useState<number>();
  const ids = listed.map(({ id }) => id);
  if (before !== undefined && listed.length > before) {
    setBefore(undefined);
    setChosen(new Set([...chosen, ...ids.slice(before)]));
  }
  const rows = listed.filter(({ id }) => chosen.has(id));
  return {
    rows,
    has: (id) => chosen.has(id),
    toggle: (id, range) => {
      const next = new Set(chosen);
      const add = !chosen.has(id);
      for (const each of range && last !== undefined ? idsBetween(ids, last, id) : [id]) {
        if (add) next.add(each);
        else next.delete(each);
      }
      setChosen(next);
      setLast(id);
    },
    toggleAll: () => setChosen(new Set(rows.length === listed.length ? [] : ids)),
    clear: () => {
      setBefore(undefined);
      setChosen(new Set());
    },
    selectNext: () => setBefore(listed.length),
    state: rows.length === 0 ? 'none' : rows.length === listed.length ? 'all' : 'some',
  };
}
