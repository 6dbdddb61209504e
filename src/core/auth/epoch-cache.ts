/** A bounded map of things read from the database that count only at the epoch they were read at. */
import type { Database } from '../../platform/db/database.ts';
import { type Epoch, TRUSTED_FOR_MS } from './epoch.ts';

export interface EpochCache<T extends { epoch: number }> {
  /** What is known and may be trusted now. */
  get(key: string): T | undefined;
  /** Whether the key was ever known here, trusted or not. */
  has(key: string): boolean;
  /** Reads through; concurrent callers of one key share a reading. Null is not kept. */
  load(key: string): Promise<T | null>;
  /**
   * The same for a caller that may hold a connection of the pool: it waits for none, nor for anybody who does.
   * Else a pool's worth of transactions that must look again before they commit would wait for each other.
   */
  reload(key: string): Promise<T | null>;
}

interface Reading<T> {
  result: Promise<T | null>;
  startedAt: number;
}

/** @param db for first looks; looks at something again go by the epoch's own connections. */
export function createEpochCache<T extends { epoch: number }>(
  epoch: Epoch,
  db: Database,
  read: (db: Database, key: string) => Promise<T | null>,
  maxEntries = 20_000,
): EpochCache<T> {
  const entries = new Map<string, T>();

  const readThrough = async (via: Database, key: string): Promise<T | null> => {
    const startedAt = performance.now();
    const entry = await read(via, key);
    entries.delete(key);
    if (entry === null) return null;
    epoch.observe(entry.epoch, startedAt);
    entries.set(key, entry);
    if (entries.size > maxEntries) entries.delete(entries.keys().next().value!);
    return entry;
  };

  const sharing = (via: Database) => {
    const readings = new Map<string, Reading<T>>();
    return (key: string): Promise<T | null> => {
      const running = readings.get(key);
      // One that began before the process was frozen tells what was true then.
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
