/**
 * Loads clicks from the journals of this process into the database: each journal in order, one batch at a time.
 *
 * The loader runs in the processes that serve redirects, and redirects take precedence (load-pace.ts). The batch size
 * adapts to what is loaded within a quarter of a second. Failures are retried indefinitely with backoff, and unloaded
 * clicks stay in their journal.
 */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { backoff } from '../../../platform/queue/retry.ts';
import type { JournalSource } from './journal-source.ts';
import { createLoadPace, type RedirectLoad } from './load-pace.ts';
import { type LoadDeps, type LoadResult, loadClicks } from './load.ts';
import { type JournalPosition, openJournal } from './load.system-store.ts';
import { RollupConflict } from './rollup.system-store.ts';
import { currentMs } from '../../../platform/time/clock.ts';

/** Interval between batches, unless more clicks are waiting. Clicks that arrive meanwhile share a transaction. */
const BATCH_INTERVAL_MS = 100;
const BACKOFF = { firstMs: 150, maxMs: 7_500, jitter: 0.6 };
const LOG_EVERY = 30;
const BATCH_MS = 250;
/** Target duration while the loader is behind: larger batches load more clicks per second. */
const BEHIND_MS = 1_500;
const BEHIND_AFTER_SECONDS = 5;
/** About 600 clicks: smaller batches cost nearly as much. */
const MIN_BYTES = 128 * 1024;
/** About 10,000 clicks. */
const MAX_BYTES = 2 * 1024 * 1024;
/** Health is degraded if clicks wait longer, or loading fails for longer. */
const MAX_LAG_MS = 60_000;
/** Conflicts with another transaction: retried without counting as failures. */
const SERIALIZATION_FAILURES = ['40001', '40P01'];

export interface LoaderOptions extends Omit<LoadDeps, 'pace'> {
  log: { warn(details: object, message: string): void; error(details: object, message: string): void };
  /** Returns the journals that this process currently reads. */
  sources: () => readonly JournalSource[];
  /** Load of the redirects of this process. */
  redirectLoad?: () => RedirectLoad;
  /** Called when all clicks of a journal without an active writer are loaded and committed. */
  onFinished?: (source: JournalSource) => Promise<void>;
  registry?: Registry;
}

export interface Loader {
  start(): void;
  /** Waits for the current batch; the rest is loaded after the next start. */
  stop(): Promise<void>;
  /** Loads everything that is in the journals now, in tests and before a permanent stop. @throws the first failure */
  drain(): Promise<void>;
  /** Returns the age of the oldest unloaded click in seconds, as far as known; 0 if there is none. */
  lag(): number;
  /** For `/readyz`. */
  check(): 'ok' | 'degraded';
}

interface SourceState {
  /** Null until it is read from the database. */
  position: JournalPosition | null;
  /** Time of the oldest unloaded click; null if none is known. */
  oldest: number | null;
}

export function createLoader(options: LoaderOptions): Loader {
  const { log, sources, onFinished = async () => {}, units, registry } = options;
  const pace = createLoadPace(options.redirectLoad);
  const deps: LoadDeps = { ...options, pace };
  const readings = new Map<string, SourceState>();
  const metrics = registry && createMetrics(registry, () => lag());
  let maxBytes = MIN_BYTES;
  let running: Promise<void> | null = null;
  let timer: NodeJS.Timeout | undefined;
  let started = false;
  let failures = 0;
  let failingSince: number | null = null;

  const lag = (): number => {
    const oldest = Math.min(...[...readings.values()].map((reading) => reading.oldest ?? Infinity));
    return oldest === Infinity ? 0 : Math.max(0, (currentMs() - oldest) / 1000);
  };

  const report = ({ loaded, dropped, rejected }: LoadResult): void => {
    metrics?.loaded.inc(loaded);
    metrics?.dropped.inc({ reason: 'link_gone' }, dropped);
    metrics?.dropped.inc({ reason: 'refused' }, rejected);
    if (rejected) log.error({ clicks: rejected }, 'click loader: dropped clicks rejected by the database');
  };

  const adjustBatchSize = (ms: number, isFull: boolean): void => {
    const max = lag() > BEHIND_AFTER_SECONDS ? BEHIND_MS : BATCH_MS;
    if (ms > max) maxBytes = Math.max(MIN_BYTES, maxBytes * Math.max(0.5, max / ms));
    else if (isFull && ms < max * 0.7) maxBytes = Math.min(MAX_BYTES, maxBytes * 1.5);
    maxBytes = Math.round(maxBytes);
  };

  /** Loads one batch of a journal. @returns whether more may be waiting */
  const loadBatch = async (source: JournalSource): Promise<boolean> => {
    let reading = readings.get(source.id);
    if (!reading) readings.set(source.id, (reading = { position: null, oldest: null }));
    reading.position ??= await openJournal(units.read.db, source.id);
    const from = reading.position;
    const part = await source.read(from.segment, from.position, maxBytes);
    const to = { segment: part.segment, position: part.position };
    const isMoved = to.segment !== from.segment || to.position !== from.position;
    if (isMoved) {
      reading.oldest = part.clicks[0]?.at ?? reading.oldest;
      const began = performance.now();
      const result = await loadClicks(deps, source.id, from, to, part.clicks);
      if (result === 'elsewhere') {
        reading.position = null;
        return false;
      }
      const ms = performance.now() - began;
      metrics?.seconds.observe(ms / 1000);
      report(result);
      adjustBatchSize(ms, !part.atEnd);
      reading.position = to;
      reading.oldest = part.atEnd ? null : (part.clicks.at(-1)?.at ?? null);
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
        const isConflict =
          error instanceof RollupConflict ||
          SERIALIZATION_FAILURES.includes((error as { code?: string }).code ?? '');
        if (isConflict) more = true;
        else {
          // The transaction may have been committed although the connection broke: read the position again.
          const reading = readings.get(source.id);
          if (reading) reading.position = null;
          errors.push(error);
        }
      }
      if (!started && running) break;
    }
    if (errors.length) throw errors[0];
    return more;
  };

  const run = async (): Promise<void> => {
    let wait = pace.getDelay(lag());
    if (wait > 0) {
      running = null;
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
      if (failures++ % LOG_EVERY === 0)
        log.warn({ err: error, failures }, 'click loader: batch failed, retrying');
    }
    running = null;
    if (started) schedule(wait);
  };
  const schedule = (ms: number): void => {
    timer = setTimeout(() => (running = run()), ms);
  };

  return {
    start() {
      if (started) return;
      started = true;
      schedule(0);
    },
    async stop() {
      started = false;
      clearTimeout(timer);
      await running;
    },
    async drain() {
      while (await runCycle());
    },
    lag,
    check() {
      const isLate =
        lag() * 1000 > MAX_LAG_MS || (failingSince !== null && performance.now() - failingSince > MAX_LAG_MS);
      return isLate ? 'degraded' : 'ok';
    },
  };
}

function createMetrics(registry: Registry, lag: () => number) {
  const registers = [registry];
  new Gauge({
    name: 'fairlead_clicks_lag_seconds',
    help: 'Age of the oldest unloaded click, as far as known.',
    registers,
    aggregator: 'max',
    collect() {
      this.set(lag());
    },
  });
  const dropped = new Counter({
    name: 'fairlead_clicks_dropped_total',
    help: 'Clicks that were not loaded because their link was deleted or the database rejected them.',
    labelNames: ['reason'],
    registers,
  });
  // Initialized to 0: otherwise an alert on increase() misses the first drop.
  for (const reason of ['link_gone', 'refused']) dropped.inc({ reason }, 0);
  return {
    loaded: new Counter({
      name: 'fairlead_clicks_loaded_total',
      help: 'Clicks loaded into the database.',
      registers,
    }),
    dropped,
    seconds: new Histogram({
      name: 'fairlead_clicks_batch_seconds',
      help: 'Duration of loading a batch of clicks.',
      buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
      registers,
    }),
  };
}
