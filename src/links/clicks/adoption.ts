/**
 * Journals of processes that died, or stopped before all was loaded: each is taken by one process of those that share
 * the folder, handed to its loader beside its own, and removed when all of it is in the database.
 *
 * A crash at any point only repeats something: before the folder is renamed the journal is there as it was; behind it
 * there is none, and what is left of it goes in a later round: the row says that it has ended, then the files are removed.
 */
import { readdir } from 'node:fs/promises';
import type { Queryable } from '../../db/database.ts';
import { noteEnd } from './adoption.system-store.ts';
import { journalsFolder, type ProcessJournal } from './journal.ts';
import { endJournal, GONE, type HeldJournal, removeGone, takeJournal } from './journal-owner.ts';
import { createJournalReader } from './journal-reader.ts';
import type { JournalSource } from './journal-source.ts';

const EVERY_MS = 5_000;
export const JOURNAL = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export interface AdoptionOptions {
  dataDir: string;
  /** This process's own. */
  journal: Pick<ProcessJournal, 'id' | 'source' | 'metrics'>;
  db: Queryable;
  log: {
    info(details: object, message: string): void;
    warn(details: object, message: string): void;
    error(details: object, message: string): void;
  };
  /** For tests. */
  everyMs?: number;
}

export interface Adoption {
  /** This process's own journal and those that it has adopted: what its loader reads. */
  sources(): readonly JournalSource[];
  /** To be called once all of a journal is committed to the database that nobody appends to any more. */
  finished(source: JournalSource): Promise<void>;
  /** Looks at once, and every five seconds. */
  start(): void;
  /** Looks once. */
  look(): Promise<void>;
  /** Gives back what is not loaded. After the loader has stopped. */
  stop(): Promise<void>;
}

export function createAdoption(options: AdoptionOptions): Adoption {
  const { dataDir, journal, db, log, everyMs = EVERY_MS } = options;
  const root = journalsFolder(dataDir);
  const adopted = new Map<string, { held: HeldJournal; source: JournalSource }>();
  let running: Promise<void> | null = null;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  const adopt = (id: string): void => {
    if (id === journal.id || adopted.has(id)) return;
    const held = takeJournal(root, id);
    if (held === null) return;
    log.info({ journal: id }, 'clicks of a process that has ended are loaded');
    const { damaged } = journal.metrics;
    adopted.set(id, { held, source: createJournalReader({ id, folder: held.folder, log, damaged }) });
  };
  const sweep = (id: string): Promise<void> => removeGone(root, id, () => noteEnd(db, id, new Date()));
  const look = async (): Promise<void> => {
    for (const name of await readdir(root)) {
      if (stopped) return;
      const isGone = name.endsWith(GONE);
      const id = isGone ? name.slice(0, -GONE.length) : name;
      if (!JOURNAL.test(id)) continue;
      try {
        if (isGone) await sweep(id);
        else adopt(id);
      } catch (error) {
        log.warn({ err: error, journal: id }, 'a journal that was left behind could not be taken or removed');
      }
    }
  };
  const run = (): void => {
    running = look()
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
    look,
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await running;
      for (const { held } of adopted.values()) held.release();
      adopted.clear();
    },
  };
}
