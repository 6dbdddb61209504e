/**
 * Journals of processes that died, or stopped before all was loaded: each is taken by one process of those that share
 * the folder, handed to its loader beside its own, and removed when all of it is in the database.
 *
 * Journals of another database (journal-database.ts) are taken over at a start alone, where none of them is in use and
 * this database has their rows: it was copied from the other, which nobody serves any more. Whoever shares the folder
 * with a server of another database leaves that one's alone, also what it left by a crash.
 *
 * A crash at any point only repeats something: before the folder is renamed the journal is there as it was; behind it
 * there is none, and what is left of it goes in a later round: the row says that it has ended, then the files are removed.
 */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Db } from '../../../platform/db/database.ts';
import { recordEnd } from './orphan-recovery.system-store.ts';
import { databaseOf } from './journal-database.ts';
import { journalsFolder, type ProcessJournal } from './journal.ts';
import {
  endJournal,
  REMOVED_SUFFIX,
  type JournalSnapshotEntry,
  removeRecovered,
  takeJournal,
} from './journal-owner.ts';
import { createJournalReader } from './journal-reader.ts';
import type { JournalSource } from './journal-source.ts';
import { assign, takeOver } from './journal-takeover.ts';
import { currentTime } from '../../../platform/time/clock.ts';

const EVERY_MS = 5_000;
export const JOURNAL = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export interface OrphanRecoveryOptions {
  dataDir: string;
  /** This process's own. */
  journal: Pick<ProcessJournal, 'id' | 'source' | 'metrics'>;
  db: Db;
  log: {
    info(details: object, message: string): void;
    warn(details: object, message: string): void;
    error(details: object, message: string): void;
  };
  /** For tests. */
  everyMs?: number;
}

export interface OrphanRecovery {
  /** This process's own journal and those that it has adopted: what its loader reads. */
  sources(): readonly JournalSource[];
  /** To be called once all of a journal is committed to the database that nobody appends to any more. */
  finished(source: JournalSource): Promise<void>;
  /** Looks at once, and every five seconds. */
  start(): void;
  /** Looks once. */
  check(): Promise<void>;
  /** Gives back what is not loaded. After the loader has stopped. */
  stop(): Promise<void>;
}

export function createOrphanRecovery(options: OrphanRecoveryOptions): OrphanRecovery {
  const { dataDir, journal, db, log, everyMs = EVERY_MS } = options;
  const root = journalsFolder(dataDir);
  const adopted = new Map<string, { held: JournalSnapshotEntry; source: JournalSource }>();
  let running: Promise<void> | null = null;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  /** What this process's database is called; null until its journals were told from others'. */
  let database: string | null = null;
  /** That they can't be. */
  let isTold = false;

  const add = (held: JournalSnapshotEntry): void => {
    const { id, folder } = held;
    log.info({ journal: id }, 'clicks of a process that has ended are loaded');
    const { damaged } = journal.metrics;
    adopted.set(id, { held, source: createJournalReader({ id, folder, log, damaged }) });
  };
  const adopt = async (id: string): Promise<void> => {
    if (id === journal.id || adopted.has(id)) return;
    const named = databaseOf(join(root, id));
    if (named !== null && named !== database) return;
    const held = takeJournal(root, id);
    if (held === null) return;
    try {
      if (named === null && database !== null) await assign(db, held, database);
    } catch (error) {
      held.release();
      throw error;
    }
    add(held);
  };
  const tellApart = async (ids: readonly string[]): Promise<void> => {
    try {
      const held = [...adopted.values()].map((one) => one.held);
      const own = [{ id: journal.id, folder: join(root, journal.id) }, ...held];
      const found = await takeOver({ root, db, log }, ids, own);
      if (found === null) return;
      found.taken.forEach(add);
      database = found.database;
    } catch (error) {
      if (!isTold) log.warn({ err: error }, 'clicks that other processes left can not be told apart yet');
      isTold = true;
    }
  };
  const sweep = (id: string): Promise<void> =>
    removeRecovered(root, id, () => recordEnd(db, id, currentTime()));
  const check = async (): Promise<void> => {
    const entries = await readdir(root);
    if (database === null) await tellApart(entries.filter((entry) => JOURNAL.test(entry)));
    for (const entry of entries) {
      if (stopped) return;
      const isGone = entry.endsWith(REMOVED_SUFFIX);
      const id = isGone ? entry.slice(0, -REMOVED_SUFFIX.length) : entry;
      if (!JOURNAL.test(id)) continue;
      try {
        if (isGone) await sweep(id);
        else await adopt(id);
      } catch (error) {
        log.warn({ err: error, journal: id }, 'a journal that was left behind could not be taken or removed');
      }
    }
  };
  const run = (): void => {
    running = check()
      .catch((error: unknown) => log.warn({ err: error }, 'journals could not be looked for'))
      .finally(() => {
        if (!stopped) timer = setTimeout(run, everyMs).unref();
      });
  };

  return {
    sources: () => [journal.source, ...[...adopted.values()].map(({ source }) => source)],
    async finished({ id }) {
      const one = adopted.get(id);
      if (one === undefined) return;
      endJournal(root, one.held);
      adopted.delete(id);
      await sweep(id);
    },
    start: run,
    check,
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await running;
      for (const { held } of adopted.values()) held.release();
      adopted.clear();
    },
  };
}
