/**
 * Work of many callers in shared transactions. What comes while one commits goes together into the next, so that a lock
 * that all of them need, and the disk, are waited for once for all. Each caller gets an outcome of its own: what one is
 * refused, or fails by, is no other's.
 */
import { isSerializationFailure, isConnectionError, isLockTimeout } from '../platform/db/database.ts';
import type { Unit, Units } from './unit-of-work.ts';

export interface BatcherOptions<Item, Result> {
  units: Units;
  /** Most items in one transaction. */
  max: number;
  /**
   * Does the work of all; @returns for each item its result, or the error that it is refused by, having written nothing
   * for it.
   */
  work: (unit: Unit, items: Item[]) => Promise<(Result | Error)[]>;
}

interface Waiting<Item, Result> {
  item: Item;
  beforeCommit: () => void | Promise<void>;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

export interface Batcher<Item, Result> {
  /**
   * Does the item's work in a transaction with others of the same key.
   * @param key what shares a transaction; one at a time is under way for each
   * @param beforeCommit may still refuse by throwing: then nothing of this item is written
   * @throws what `work` refused it by
   */
  add(key: string, item: Item, beforeCommit: () => void | Promise<void>): Promise<Result>;
}

/** Of a transaction that others come before. */
const MAX_TRIES = 3;

export function createBatcher<Item, Result>(options: BatcherOptions<Item, Result>): Batcher<Item, Result> {
  const { units, max: most, work } = options;
  type Entry = Waiting<Item, Result>;
  /** Key → what waits; a key is there while a transaction of it is under way or about to begin. */
  const waiting = new Map<string, Entry[]>();

  const attempt = async (entries: Entry[], tries = 1): Promise<void> => {
    let mayBeCommitted = false;
    try {
      const outcomes = await units.write(
        (unit) =>
          work(
            unit,
            entries.map(({ item }) => item),
          ),
        async () => {
          for (const { beforeCommit } of entries) await beforeCommit();
          mayBeCommitted = true;
        },
      );
      for (const [nth, { resolve, reject }] of entries.entries()) {
        const outcome = outcomes[nth]!;
        if (outcome instanceof Error) reject(outcome);
        else resolve(outcome);
      }
    } catch (error) {
      // Whose fault it was shows when each is tried by itself. Not after a commit of which nobody knows whether it was.
      if (isSerializationFailure(error) && tries < MAX_TRIES) await attempt(entries, tries + 1);
      else if (entries.length === 1 || mayBeCommitted || isConnectionError(error) || isLockTimeout(error))
        for (const { reject } of entries) reject(error);
      else for (const entry of entries) await attempt([entry]);
    }
  };

  const drain = async (key: string, entries: Entry[]): Promise<void> => {
    while (entries.length) await attempt(entries.splice(0, most));
    waiting.delete(key);
  };

  return {
    add: (key, item, beforeCommit) =>
      new Promise((resolve, reject) => {
        const entry = { item, beforeCommit, resolve, reject };
        const others = waiting.get(key);
        if (others) return void others.push(entry);
        const entries = [entry];
        waiting.set(key, entries);
        // What was read from sockets in the same turn goes along.
        return void setImmediate(() => void drain(key, entries));
      }),
  };
}
