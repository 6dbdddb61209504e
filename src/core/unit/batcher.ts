/**
 * Batches the work of many callers into shared transactions.
 *
 * Items that arrive during a commit share the next transaction, so a contended lock and the disk are waited for once.
 * Each caller gets its own outcome: one caller's rejection or failure does not affect the others.
 */
import { isConnectionError, isLockTimeout, retryOnConflict } from '../../platform/db/database.ts';
import { withSpan } from '../../platform/tracing/tracing.ts';
import type { ReadUnit, Unit, Units } from './unit-of-work.ts';

export interface BatcherOptions<Item, Result> {
  units: Units;
  /** Maximum number of items in one transaction. */
  max: number;
  /**
   * Processes all items.
   * @returns for each item its result, or the error that rejects it. A rejected item must have written nothing.
   */
  work: (unit: Unit, items: Item[]) => Promise<(Result | Error)[]>;
  /**
   * Processes all items in one statement, which commits on its own: a transaction holds its locks for several round trips.
   * Tried before `work`.
   * @returns null if the items need `work`; nothing was written then
   */
  statement?: (unit: ReadUnit, items: Item[]) => Promise<(Result | Error)[] | null>;
}

interface Waiting<Item, Result> {
  item: Item;
  beforeCommit: () => void | Promise<void>;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

export interface Batcher<Item, Result> {
  /**
   * Processes the item in a transaction shared with other items of the same key.
   * @param key items with the same key share transactions; each key has at most one running transaction
   * @param beforeCommit may throw to reject the item, in which case nothing is written for it; may run more than once
   * @throws the error that `work` returned for the item
   */
  add(key: string, item: Item, beforeCommit: () => void | Promise<void>): Promise<Result>;
}

export function createBatcher<Item, Result>(options: BatcherOptions<Item, Result>): Batcher<Item, Result> {
  const { units, max: most, work, statement } = options;
  type Entry = Waiting<Item, Result>;
  /** Key → waiting entries. A key is present while its transaction is running or about to start. */
  const waiting = new Map<string, Entry[]>();

  const attempt = async (entries: Entry[]): Promise<void> => {
    let mayBeCommitted = false;
    const items = entries.map(({ item }) => item);
    const check = async (): Promise<void> => {
      for (const entry of entries) await entry.beforeCommit();
    };
    const beforeCommit = async (): Promise<void> => {
      await check();
      mayBeCommitted = true;
    };
    const tryStatement = async (): Promise<(Result | Error)[] | null> => {
      if (!statement) return null;
      await check();
      return statement(units.read, items);
    };
    try {
      const outcomes =
        (await retryOnConflict(tryStatement)) ??
        (await retryOnConflict(() => units.write((unit) => work(unit, items), beforeCommit)));
      for (const [nth, { resolve, reject }] of entries.entries()) {
        const outcome = outcomes[nth]!;
        if (outcome instanceof Error) reject(outcome);
        else resolve(outcome);
      }
    } catch (error) {
      // Retrying each item alone isolates the failing one. Not after a commit whose outcome is unknown.
      if (entries.length === 1 || mayBeCommitted || isConnectionError(error) || isLockTimeout(error))
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
        // Items of several traces: each names its own. Includes the requests read from sockets in the same event-loop iteration.
        return void setImmediate(() => void withSpan(null, () => drain(key, entries)));
      }),
  };
}
