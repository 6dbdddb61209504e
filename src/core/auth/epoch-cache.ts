/** A bounded cache of database reads, each valid only at the auth epoch it was read at. */
import { LRUCache } from 'lru-cache';
import type { Database } from '../../platform/db/database.ts';
import { type Epoch, TRUSTED_FOR_MS } from './epoch.ts';

export interface EpochCache<T extends { epoch: number }> {
  /** Returns the entry if it is cached and still valid. */
  get(key: string): T | undefined;
  /** Returns whether the key is cached, valid or not. */
  has(key: string): boolean;
  /** Reads from the database; concurrent callers of one key share a read. Null is not cached. */
  load(key: string): Promise<T | null>;
  /**
   * The same for a caller that may hold a pool connection: it waits neither for one nor for another holder.
   * Otherwise a pool's worth of transactions that must revalidate before they commit would deadlock.
   */
  reload(key: string): Promise<T | null>;
}

interface Reading<T> {
  result: Promise<T | null>;
  startedAt: number;
}

/** @param db for `load`; `reload` uses the epoch's own connections */
export function createEpochCache<T extends { epoch: number }>(
  epoch: Epoch,
  db: Database,
  read: (db: Database, key: string) => Promise<T | null>,
  maxEntries = 20_000,
): EpochCache<T> {
  const entries = new LRUCache<string, T>({ maxSize: maxEntries, sizeCalculation: () => 1 });

  const readThrough = async (via: Database, key: string): Promise<T | null> => {
    const startedAt = performance.now();
    const entry = await read(via, key);
    if (entry === null) {
      entries.delete(key);
      return null;
    }
    epoch.observe(entry.epoch, startedAt);
    entries.set(key, entry);
    return entry;
  };

  const sharing = (via: Database) => {
    const readings = new Map<string, Reading<T>>();
    return (key: string): Promise<T | null> => {
      const running = readings.get(key);
      // A read that began before the process froze returns stale data.
      if (running && performance.now() - running.startedAt < TRUSTED_FOR_MS) return running.result;
      const startedAt = performance.now();
      const result = readThrough(via, key).finally(() => {
        if (readings.get(key)?.result === result) readings.delete(key);
      });
      readings.set(key, { result, startedAt });
      return result;
    };
  };

  return {
    get(key) {
      const entry = entries.get(key);
      return entry !== undefined && epoch.isCurrent(entry.epoch) ? entry : undefined;
    },
    has: (key) => entries.has(key),
    load: sharing(db),
    reload: sharing(epoch.db),
  };
}
