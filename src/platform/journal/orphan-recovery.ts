/**
 * Recovers the journals of processes that died or stopped before all clicks were loaded. Each journal is claimed by one
 * of the processes that share the directory, loaded by that process's loader, and removed when fully loaded.
 *
 * A crash at any point only repeats work. Before the directory is renamed, the journal exists unchanged. Afterwards it
 * is gone, and a later scan records its end in the database and then removes its files.
 */
import { readdir } from 'node:fs/promises';
import type { Db } from '../db/database.ts';
import type { Log } from '../logging/log.ts';
import { recordEnd } from './journals.system-store.ts';
import { JOURNAL, type ProcessJournal } from './journal.ts';
import {
  endJournal,
  REMOVED_SUFFIX,
  type ClaimedJournal,
  removeRecovered,
  claimOrphan,
} from './journal-owner.ts';
import { createJournalReader } from './journal-reader.ts';
import type { JournalSource } from './journal-source.ts';
import { currentTime } from '../time/clock.ts';

const SCAN_INTERVAL_MS = 5_000;

export interface OrphanRecoveryOptions<Kept> {
  /** For logs. */
  name: string;
  /** Directory of all journals of this kind. */
  root: string;
  decode: (payload: Buffer) => Kept[];
  /** The journal of this process. */
  journal: Pick<ProcessJournal<never, Kept>, 'id' | 'source' | 'metrics'>;
  db: Db;
  log: Pick<Log, 'info' | 'warn' | 'error'>;
  /** For tests. */
  everyMs?: number;
}

export interface OrphanRecovery<Kept> {
  /** Returns the journals that the loader reads: this process's own and the recovered ones. */
  sources(): readonly JournalSource<Kept>[];
  /** Ends a journal without an active writer. Call after all of its records are committed to the database. */
  finished(source: Pick<JournalSource<Kept>, 'id'>): Promise<void>;
  /** Scans immediately, then every five seconds. */
  start(): void;
  /** Scans once. */
  check(): Promise<void>;
  /** Releases journals that are not fully loaded. Call after the loader has stopped. */
  stop(): Promise<void>;
}

export function createOrphanRecovery<Kept>(options: OrphanRecoveryOptions<Kept>): OrphanRecovery<Kept> {
  const { name, root, decode, journal, db, log, everyMs = SCAN_INTERVAL_MS } = options;
  const recovered = new Map<string, { claimed: ClaimedJournal; source: JournalSource<Kept> }>();
  let running: Promise<void> | null = null;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  const recover = (id: string): void => {
    if (id === journal.id || recovered.has(id)) return;
    const claimed = claimOrphan(root, id);
    if (claimed === null) return;
    log.info({ journal: id }, `${name}: loading journal of an ended process`);
    const { damaged } = journal.metrics;
    recovered.set(id, {
      claimed,
      source: createJournalReader({ name, decode, id, folder: claimed.folder, log, damaged }),
    });
  };
  const removeFiles = (id: string): Promise<void> =>
    removeRecovered(root, id, () => recordEnd(db, id, currentTime()));
  const check = async (): Promise<void> => {
    const entries = await readdir(root);
    for (const entry of entries) {
      if (stopped) return;
      const isGone = entry.endsWith(REMOVED_SUFFIX);
      const id = isGone ? entry.slice(0, -REMOVED_SUFFIX.length) : entry;
      if (!JOURNAL.test(id)) continue;
      try {
        if (isGone) await removeFiles(id);
        else recover(id);
      } catch (error) {
        log.warn({ err: error, journal: id }, `${name}: could not recover or remove orphaned journal`);
      }
    }
  };
  const run = (): void => {
    running = check()
      .catch((error: unknown) => log.warn({ err: error }, `${name}: could not scan for orphaned journals`))
      .finally(() => {
        if (!stopped) timer = setTimeout(run, everyMs).unref();
      });
  };

  return {
    sources: () => [journal.source, ...[...recovered.values()].map(({ source }) => source)],
    async finished({ id }) {
      const one = recovered.get(id);
      if (one === undefined) return;
      endJournal(root, one.claimed);
      recovered.delete(id);
      await removeFiles(id);
    },
    start: run,
    check,
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await running;
      for (const { claimed } of recovered.values()) claimed.release();
      recovered.clear();
    },
  };
}
