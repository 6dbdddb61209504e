/**
 * Loads records from the journals of this process into the database: each journal in order, one batch at a time.
 *
 * The batch size adapts to what is loaded within a quarter of a second. Failures are retried indefinitely with backoff, and
 * records that are not loaded stay in their journal.
 */
import type { Db } from '../db/database.ts';
import type { Log } from '../logging/log.ts';
import { backoff } from '../time/retry.ts';
import type { JournalSource } from './journal-source.ts';
import { type JournalPosition, openJournal } from './journals.system-store.ts';
import { currentMs } from '../time/clock.ts';

/** Interval between batches, unless more is waiting. What arrives meanwhile shares a transaction. */
const BATCH_INTERVAL_MS = 100;
const BACKOFF = { firstMs: 150, maxMs: 7_500, jitter: 0.6 };
const LOG_EVERY = 30;
const BATCH_MS = 250;
/** Target duration while the loader is behind: larger batches load more per second. */
const BEHIND_MS = 1_500;
const BEHIND_AFTER_SECONDS = 5;
/** About 600 clicks: smaller batches cost nearly as much. */
const MIN_BYTES = 128 * 1024;
/** About 10,000 clicks. */
const MAX_BYTES = 2 * 1024 * 1024;
/** Health is degraded if records wait longer, or loading fails for longer. */
const MAX_LAG_MS = 60_000;
/** Conflicts with another transaction: retried without counting as failures. */
const SERIALIZATION_FAILURES = ['40001', '40P01'];

export interface LoaderOptions<Kept, Result extends object> {
  /** For logs, such as "click loader". */
  name: string;
  db: Db;
  log: Pick<Log, 'warn'>;
  /** Returns the journals that this process currently reads. */
  sources: () => readonly JournalSource<Kept>[];
  /**
   * Stores records, and the position behind them, in one transaction that locks the journal's row.
   * @returns 'elsewhere' if the journal's position is not `from`; nothing was written then
   */
  load: (
    journalId: string,
    from: JournalPosition,
    to: JournalPosition,
    records: readonly Kept[],
  ) => Promise<Result | 'elsewhere'>;
  /** Returns when a record was made, in milliseconds since 1970. */
  timeOf: (record: Kept) => number;
  /** Called after each batch. */
  onLoaded?: (result: Result, seconds: number) => void;
  /** Whether an error is a conflict with another transaction, which is no failure. */
  isConflict?: (error: unknown) => boolean;
  /** Returns how long to wait before the next batch in milliseconds. @param lagSeconds age of the oldest record */
  getDelay?: (lagSeconds: number) => number;
  /** Called when everything in a journal without an active writer is loaded and committed. */
  onFinished?: (source: JournalSource<Kept>) => Promise<void>;
}

export interface Loader {
  start(): void;
  /** Waits for the current batch; the rest is loaded after the next start. */
  stop(): Promise<void>;
  /** Loads everything that is in the journals now. @throws the first failure */
  drain(): Promise<void>;
  /** Returns the age of the oldest record that is not loaded, in seconds, as far as known; 0 if there is none. */
  lag(): number;
  /** For `/readyz`. */
  check(): 'ok' | 'degraded';
}

interface SourceState {
  /** Null until it is read from the database. */
  position: JournalPosition | null;
  /** Time of the oldest record that is not loaded; null if none is known. */
  oldest: number | null;
}

export function createLoader<Kept, Result extends object>(options: LoaderOptions<Kept, Result>): Loader {
  const { name, db, log, sources, load, timeOf } = options;
  const { onLoaded, isConflict = () => false, getDelay = () => 0, onFinished = async () => {} } = options;
  const readings = new Map<string, SourceState>();
  let maxBytes = MIN_BYTES;
  let running: Promise<void> | null = null;
  let timer: NodeJS.Timeout | undefined;
  let started = false;
  let stopping = false;
  let failures = 0;
  let failingSince: number | null = null;

  const lag = (): number => {
    const oldest = Math.min(...[...readings.values()].map((reading) => reading.oldest ?? Infinity));
    return oldest === Infinity ? 0 : Math.max(0, (currentMs() - oldest) / 1000);
  };

  const adjustBatchSize = (ms: number, isFull: boolean): void => {
    const max = lag() > BEHIND_AFTER_SECONDS ? BEHIND_MS : BATCH_MS;
    if (ms > max) maxBytes = Math.max(MIN_BYTES, maxBytes * Math.max(0.5, max / ms));
    else if (isFull && ms < max * 0.7) maxBytes = Math.min(MAX_BYTES, maxBytes * 1.5);
    maxBytes = Math.round(maxBytes);
  };

  /** Loads one batch of a journal. @returns whether more may be waiting */
  const loadBatch = async (source: JournalSource<Kept>): Promise<boolean> => {
    let reading = readings.get(source.id);
    if (!reading) readings.set(source.id, (reading = { position: null, oldest: null }));
    reading.position ??= await openJournal(db, source.id);
    const from = reading.position;
    const part = await source.read(from.segment, from.position, maxBytes);
    const to = { segment: part.segment, position: part.position };
    const isMoved = to.segment !== from.segment || to.position !== from.position;
    if (isMoved) {
      const [first] = part.records;
      if (first !== undefined) reading.oldest = timeOf(first);
      const began = performance.now();
      const result = await load(source.id, from, to, part.records);
      if (result === 'elsewhere') {
        reading.position = null;
        return false;
      }
      const ms = performance.now() - began;
      onLoaded?.(result, ms / 1000);
      adjustBatchSize(ms, !part.atEnd);
      reading.position = to;
      const last = part.records.at(-1);
      reading.oldest = part.atEnd || last === undefined ? null : timeOf(last);
      if (to.segment !== from.segment) await source.loadedThrough(to.segment);
    }
    if (!part.atEnd) return isMoved;
    reading.oldest = null;
    if (!source.isLive) {
      await onFinished(source);
      readings.delete(source.id);
    }
    return false;
  };

  /** Loads one batch of each journal. A failing journal does not block the others. */
  const runCycle = async (): Promise<boolean> => {
    const current = sources();
    for (const id of readings.keys()) if (!current.some((source) => source.id === id)) readings.delete(id);
    let more = false;
    const errors: unknown[] = [];
    for (const source of current) {
      try {
        if (await loadBatch(source)) more = true;
      } catch (error) {
        const { code = '' } = error as { code?: string };
        if (isConflict(error) || SERIALIZATION_FAILURES.includes(code)) more = true;
        else {
          // The transaction may have been committed although the connection broke: read the position again.
          const reading = readings.get(source.id);
          if (reading) reading.position = null;
          errors.push(error);
        }
      }
      if (stopping) break;
    }
    if (errors.length) throw errors[0];
    return more;
  };

  const run = async (): Promise<void> => {
    let wait = getDelay(lag());
    if (wait > 0) {
      if (started) schedule(wait);
      return;
    }
    try {
      const more = await runCycle();
      [failures, failingSince] = [0, null];
      wait = more ? 0 : BATCH_INTERVAL_MS;
    } catch (error) {
      failingSince ??= performance.now();
      wait = backoff(failures + 1, BACKOFF);
      if (failures++ % LOG_EVERY === 0) log.warn({ err: error, failures }, `${name}: batch failed, retrying`);
    }
    if (started) schedule(wait);
  };
  /** Keeps others from beginning until this has ended. */
  const hold = (work: Promise<void>): Promise<void> =>
    (running = work.finally(() => {
      running = null;
    }));
  const schedule = (ms: number): void => {
    timer = setTimeout(() => {
      // `drain` is under way.
      if (running) schedule(BATCH_INTERVAL_MS);
      else void hold(run());
    }, ms);
  };

  return {
    start() {
      if (started) return;
      started = true;
      stopping = false;
      schedule(0);
    },
    async stop() {
      started = false;
      stopping = true;
      clearTimeout(timer);
      await running?.catch(() => {});
    },
    async drain() {
      // A failure of another drain is its caller's.
      while (running) await running.catch(() => {});
      stopping = false;
      const loadAll = async (): Promise<void> => {
        while (await runCycle());
      };
      await hold(loadAll());
    },
    lag,
    check() {
      const isLate =
        lag() * 1000 > MAX_LAG_MS || (failingSince !== null && performance.now() - failingSince > MAX_LAG_MS);
      return isLate ? 'degraded' : 'ok';
    },
  };
}
